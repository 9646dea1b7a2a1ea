import { isDeepStrictEqual } from "node:util";
import type { AgentDefinition } from "./agent-definition.ts";
import { type AgentFiles, AgentFilesReader } from "./agent-files.ts";
import type { Variables } from "./expand-variables.ts";
import { FolderWatch } from "./folder-watch.ts";

/** What became different in a folder of agents; a changed name is one removed and one added. */
export interface AgentChange extends AgentFiles {
  readonly added: readonly AgentDefinition[];
  readonly changed: readonly AgentDefinition[];
  readonly removed: readonly AgentDefinition[];
}

export interface AgentFolderOptions {
  readonly folder: string;
  /** The name of the one file that counts; otherwise all do. */
  readonly only?: string;
  /** What `${NAME}` in the files stands for. */
  readonly variables: Variables;
  /** Hears every change of agents or problems, one at a time. */
  readonly onChange: (change: AgentChange) => void;
  readonly debounceMs?: number;
  readonly rescanMs?: number;
}

/** A folder with `mcp.json` and an agent in each Markdown file, taken up as the files change. */
export class AgentFolder {
  readonly #reader: AgentFilesReader;
  readonly #onChange: (change: AgentChange) => void;
  readonly #watch: FolderWatch;
  #current: AgentFiles = { agents: [], problems: [] };
  #reading: Promise<void> = Promise.resolve();
  #waiting = false;
  #closed = false;

  private constructor({
    folder,
    only,
    variables,
    onChange,
    debounceMs = 100,
    rescanMs = 5_000,
  }: AgentFolderOptions) {
    this.#reader = new AgentFilesReader(folder, variables, only);
    this.#onChange = onChange;
    this.#watch = new FolderWatch(folder, { debounceMs, rescanMs, onChange: () => void this.refresh() });
  }

  /** Reads the folder, then watches it until `close`. */
  static async open(options: AgentFolderOptions): Promise<AgentFolder> {
    const folder = new AgentFolder(options);
    folder.#current = await folder.#reader.read();
    return folder;
  }

  /** The agents and problems as they are now. */
  get current(): AgentFiles {
    return this.#current;
  }

  /** Looks at the files now; those who ask while one look waits share it. */
  refresh(): Promise<void> {
    if (this.#waiting) return this.#reading;
    this.#waiting = true;
    const look = () => {
      this.#waiting = false;
      return this.#look();
    };
    // One that failed was told to those who asked for it; the next is not held up.
    this.#reading = this.#reading.then(look, look);
    return this.#reading;
  }

  close(): void {
    this.#closed = true;
    this.#watch.close();
  }

  async #look(): Promise<void> {
    const before = this.#current;
    const now = await this.#reader.read();
    if (this.#closed || isDeepStrictEqual(before, now)) return;
    this.#current = now;
    const old = new Map(before.agents.map((agent) => [agent.name, agent]));
    const names = new Set(now.agents.map((agent) => agent.name));
    this.#onChange({
      ...now,
      added: now.agents.filter(({ name }) => !old.has(name)),
      changed: now.agents.filter(
        (agent) => old.has(agent.name) && !isDeepStrictEqual(old.get(agent.name), agent),
      ),
      removed: before.agents.filter(({ name }) => !names.has(name)),
    });
  }
}
