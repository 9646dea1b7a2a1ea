import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { type AgentListing, type AgentSource, ChangeListeners } from "../agent-listing.ts";
import {
  type AgentsFileContent,
  type AgentsFileProblem,
  parseAgentsFile,
  type Variables,
} from "./parse-agents-file.ts";

export interface AgentsFileOptions {
  readonly file: string;
  /** What `${NAME}` in the file stands for. */
  readonly variables: Variables;
  /** Gets all problems whenever they have changed; none means that they are fixed. */
  readonly onProblems?: (problems: readonly AgentsFileProblem[]) => void;
  /** Milliseconds between two reads of the file. */
  readonly lookMs?: number;
}

/**
 * The agents that an operator lists in `agents.json`, reloaded as the file changes. Without the file there are none;
 * while it cannot be read, the previous ones stay.
 *
 *     { "agents": { "NAME": { "url": "…", "auth": { "SCHEME": { "kind": "bearer", "token": "${TOKEN}" } } } } }
 */
export class AgentsFile implements AgentSource {
  readonly #options: AgentsFileOptions;
  readonly #changes = new ChangeListeners();
  #text: string | undefined;
  #listings: readonly AgentListing[] = [];
  #problems: readonly AgentsFileProblem[] = [];
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(options: AgentsFileOptions) {
    this.#options = options;
  }

  /** Reads the file now, then again and again until `close`. */
  static async open(options: AgentsFileOptions): Promise<AgentsFile> {
    const file = new AgentsFile(options);
    await file.refresh();
    file.#lookLater();
    return file;
  }

  listings(): readonly AgentListing[] {
    return this.#listings;
  }

  problems(): readonly AgentsFileProblem[] {
    return this.#problems;
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  refresh(): Promise<void> {
    const look = () => this.#look();
    // A listener that threw rejected that read for its callers; the next is not held up.
    this.#looking = this.#looking.then(look, look);
    return this.#looking;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** Compares the content, not its time: some file systems send no notifications, and clocks are coarse. */
  #lookLater(): void {
    const look = async () => {
      await this.refresh();
      if (!this.#closed) this.#lookLater();
    };
    this.#timer = setTimeout(() => void look(), this.#options.lookMs ?? 1_000).unref();
  }

  async #look(): Promise<void> {
    const { file, variables, onProblems } = this.#options;
    const found = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => error);
    if (this.#closed || found === this.#text) return;
    const isText = typeof found === "string";
    const content = isText ? parseAgentsFile(found, file, variables) : unreadable(file, found.code);
    const { listings = this.#listings, problems } = content;
    const areOthers = !isDeepStrictEqual(problems, this.#problems);
    const isChanged = !isDeepStrictEqual(listings, this.#listings);
    this.#text = isText ? found : undefined;
    this.#listings = listings;
    this.#problems = problems;
    if (areOthers) onProblems?.(problems);
    if (isChanged) this.#changes.notify();
  }
}

function unreadable(file: string, code: string | undefined): AgentsFileContent {
  if (code === "ENOENT") return { listings: [], problems: [] };
  return { problems: [{ file, line: 1, message: `expected a file that can be read (${code})` }] };
}
