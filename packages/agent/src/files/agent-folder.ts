import { type FSWatcher, statSync, watch } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { AgentDefinition } from "./agent-definition.ts";
import { type AgentFiles, AgentFilesReader } from "./agent-files.ts";
import type { Variables } from "./mcp-file.ts";

interface FolderWatchOptions {
  /** How long it must be quiet after a change, so that half-written files are not read. */
  readonly debounceMs: number;
  /** How often it is looked at anyway: notices get lost, and some file systems send none. */
  readonly rescanMs: number;
  readonly onChange: () => void;
}

/** Tells when something in a folder may have changed, also when the folder comes and goes. */
class FolderWatch {
  readonly #folder: string;
  readonly #options: FolderWatchOptions;
  readonly #rescan: NodeJS.Timeout;
  #watcher: FSWatcher | undefined;
  #watched: number | undefined;
  #debounce: NodeJS.Timeout | undefined;

  constructor(folder: string, options: FolderWatchOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#watch();
    this.#rescan = setInterval(() => {
      this.#watch();
      options.onChange();
    }, options.rescanMs).unref();
  }

  close(): void {
    clearInterval(this.#rescan);
    clearTimeout(this.#debounce);
    this.#watcher?.close();
  }

  /** A folder that was removed and made again is another one, of which the old watcher knows nothing. */
  #watch(): void {
    const inode = statSync(this.#folder, { throwIfNoEntry: false })?.ino;
    if (inode === this.#watched) return;
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#watched = undefined;
    if (inode === undefined) return;
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, () => this.#notice());
      // Out of watches, or the folder is gone: the rescan sees to it.
      this.#watcher.on("error", () => {
        this.#watched = undefined;
      });
      this.#watched = inode;
    } catch {
      this.#watched = undefined;
    }
  }

  #notice(): void {
    clearTimeout(this.#debounce);
    this.#debounce = setTimeout(this.#options.onChange, this.#options.debounceMs).unref();
  }
}

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
  /** Called for every change of agents or problems, one at a time. */
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

  get current(): AgentFiles {
    return this.#current;
  }

  /** Reads the files now; concurrent callers share one pending read. */
  refresh(): Promise<void> {
    if (this.#waiting) return this.#reading;
    this.#waiting = true;
    const look = () => {
      this.#waiting = false;
      return this.#look();
    };
    // A failed read rejects for its callers; the next one runs all the same.
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
