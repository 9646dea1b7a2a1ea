import type { Credentials, Log, SecretSeal } from "@parley/a2a";
import { type Journal, UnknownStreamError } from "@parley/journal";
import type { AgentListing, AgentSource } from "@parley/registry";

const STREAM = "agents/added";
const PAGE = 1_000;

type BookEvent =
  | { readonly added: { readonly name: string; readonly url: string; readonly sealed?: string } }
  | {
      readonly changed: {
        readonly name: string;
        readonly enabled?: boolean;
        readonly sealed?: string | null;
      };
    }
  | { readonly removed: string };

/** An agent that somebody added here. */
export interface AddedAgent {
  readonly url: string;
  readonly sealed?: string | undefined;
}

/** Which agents were added, and which are switched off, wherever they come from: as a stream of the journal tells. */
export class AgentBook implements AgentSource {
  readonly #journal: Journal;
  readonly #seal: SecretSeal;
  readonly #log: Log;
  readonly #added = new Map<string, AddedAgent>();
  readonly #disabled = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #index = 0;

  private constructor(journal: Journal, seal: SecretSeal, log: Log) {
    this.#journal = journal;
    this.#seal = seal;
    this.#log = log;
  }

  static async open(journal: Journal, seal: SecretSeal, log: Log): Promise<AgentBook> {
    const book = new AgentBook(journal, seal, log);
    await book.#catchUp();
    return book;
  }

  get added(): ReadonlyMap<string, AddedAgent> {
    return this.#added;
  }

  isEnabled(name: string): boolean {
    return !this.#disabled.has(name);
  }

  get disabled(): ReadonlySet<string> {
    return this.#disabled;
  }

  listings(): readonly AgentListing[] {
    return [...this.#added].flatMap(([name, { url, sealed }]) => {
      if (!this.isEnabled(name)) return [];
      const credentials = this.#credentials(name, sealed);
      return [{ name, url, ...(credentials && { credentials }) }];
    });
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Those of a source that are not switched off. */
  enabledOf(source: AgentSource): AgentSource {
    return {
      listings: () => source.listings().filter(({ name }) => name === undefined || this.isEnabled(name)),
      onChange: (listener) => {
        const ends = [source.onChange(listener), this.onChange(listener)];
        return () => {
          for (const end of ends) end();
        };
      },
    };
  }

  add(name: string, url: string, credentials: Credentials | undefined): Promise<void> {
    const sealed = credentials && this.#seal.seal(name, credentials);
    return this.#record({ added: { name, url, ...(sealed !== undefined && { sealed }) } });
  }

  change(
    name: string,
    change: { enabled?: boolean | undefined; credentials?: Credentials | null | undefined },
  ): Promise<void> {
    const { enabled, credentials } = change;
    const sealed = credentials ? this.#seal.seal(name, credentials) : credentials;
    return this.#record({
      changed: { name, ...(enabled !== undefined && { enabled }), ...(sealed !== undefined && { sealed }) },
    });
  }

  remove(name: string): Promise<void> {
    return this.#record({ removed: name });
  }

  async #record(event: BookEvent): Promise<void> {
    await this.#journal.append(STREAM, [event], { urgent: true });
    await this.#catchUp();
    for (const listener of this.#listeners) listener();
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const events = await this.#journal
        .read<BookEvent>(STREAM, this.#index, PAGE)
        .catch((error: unknown) => {
          if (error instanceof UnknownStreamError) return [];
          throw error;
        });
      if (events.length === 0) return;
      for (const { index, payload } of events) {
        this.#apply(payload);
        this.#index = index;
      }
    }
  }

  #apply(event: BookEvent): void {
    if ("added" in event) {
      const { name, url, sealed } = event.added;
      this.#added.set(name, { url, sealed });
      this.#disabled.delete(name);
    } else if ("removed" in event) {
      this.#added.delete(event.removed);
      this.#disabled.delete(event.removed);
    } else {
      const { name, enabled, sealed } = event.changed;
      const before = this.#added.get(name);
      if (before && sealed !== undefined) this.#added.set(name, { ...before, sealed: sealed ?? undefined });
      if (enabled === true) this.#disabled.delete(name);
      if (enabled === false) this.#disabled.add(name);
    }
  }

  #credentials(name: string, sealed: string | undefined): Credentials | undefined {
    if (sealed === undefined) return undefined;
    try {
      return this.#seal.open(name, sealed) as Credentials;
    } catch (error) {
      this.#log.error({ agent: name, err: error }, "credentials are lost");
      return undefined;
    }
  }
}
