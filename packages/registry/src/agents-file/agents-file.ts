import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { AgentListing, AgentSource } from "../agent-listing.ts";
import { ChangeListeners } from "../change-listeners.ts";
import {
  type AgentsFileContent,
  type AgentsFileProblem,
  parseAgentsFile,
  type Variables,
} from "./parse-agents-file.ts";

/** Where the file is, and what is in its variables. */
export interface AgentsFileOptions {
  readonly file: string;
  /** What `${NAME}` in the file stands for. */
  readonly variables: Variables;
  /** Hears all problems there are, whenever they have changed; none means that they are mended. */
  readonly onProblems?: (problems: readonly AgentsFileProblem[]) => void;
  /** Milliseconds between two looks at the file. */
  readonly lookMs?: number;
}

/**
 * The agents that an operator lists in `agents.json`, taken up as the file changes. Without the file there are none;
 * while it cannot be read, those of before stay.
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

  /** Reads the file, then looks at it again and again until `close`. */
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
    // A listener that threw was heard of by those who asked for that look; the next is not held up.
    this.#looking = this.#looking.then(look, look);
    return this.#looking;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** The content is compared, not its time: some file systems send no notices, and clocks are coarse. */
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
    if (isChanged) this.#changes.tell();
  }
}

function unreadable(file: string, code: string | undefined): AgentsFileContent {
  if (code === "ENOENT") return { listings: [], problems: [] };
  return { problems: [{ file, line: 1, message: `expected a file that can be read (${code})` }] };
}
