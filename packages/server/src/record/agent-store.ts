import { type Credentials, definedMembers, type Log } from "@parley/a2a";
import type { NamedKey } from "@parley/adapters";
import {
  eventsAfter,
  IndexConflictError,
  type Journal,
  LruMap,
  type SecretSeal,
  type StreamAppend,
  whenGrown,
} from "@parley/journal";
import type { AgentListing, AgentSource } from "@parley/registry";
import { KeyReusedError } from "@parley/sessions";

const STREAM = "agents/added";
const PAGE = 1_000;

type BookEvent = BookChange & { readonly key?: NamedKey };

/** What was answered to a command under a key. */
interface BookAnswer {
  readonly answered: { readonly name: string; readonly answer: unknown };
}

type BookChange =
  | BookAnswer
  | { readonly added: { readonly name: string; readonly url: string; readonly sealed?: string } }
  | {
      readonly changed: {
        readonly name: string;
        readonly enabled?: boolean;
        readonly sealed?: string | null;
      };
    }
  | { readonly removed: string }
  | { readonly restored: string };

/** How a change is made: once under its key, and only if it is allowed with the book as it is then. */
export interface ChangeOptions {
  readonly key?: NamedKey | undefined;
  /** Throws why not. */
  readonly allowed: () => void;
  readonly noted: StreamAppend;
}

/** An agent that somebody added here. */
export interface AddedAgent {
  readonly url: string;
  readonly sealed?: string | undefined;
}

/** Which agents were added, and which are switched off, wherever they come from: as a stream of the journal tells. */
export class AgentStore implements AgentSource {
  readonly #journal: Journal;
  readonly #seal: SecretSeal;
  readonly #log: Log;
  readonly #added = new Map<string, AddedAgent>();
  readonly #removed = new Map<string, AddedAgent>();
  readonly #disabled = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #commands = new BookCommands();
  #index = 0;

  private constructor(journal: Journal, seal: SecretSeal, log: Log) {
    this.#journal = journal;
    this.#seal = seal;
    this.#log = log;
  }

  static async open(journal: Journal, seal: SecretSeal, log: Log): Promise<AgentStore> {
    const book = new AgentStore(journal, seal, log);
    await book.#catchUp();
    return book;
  }

  get added(): ReadonlyMap<string, AddedAgent> {
    return this.#added;
  }

  /** Those whose removal can be taken back: the last of each name. */
  get removed(): ReadonlyMap<string, AddedAgent> {
    return this.#removed;
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

  add(
    name: string,
    { url, credentials }: { readonly url: string; readonly credentials: Credentials | undefined },
    options: ChangeOptions,
  ): Promise<void> {
    const sealed = credentials && this.#seal.seal(name, credentials);
    return this.#record({ added: { name, url, ...(sealed !== undefined && { sealed }) } }, options);
  }

  change(
    name: string,
    change: { enabled?: boolean | undefined; credentials?: Credentials | null | undefined },
    options: ChangeOptions,
  ): Promise<void> {
    const { enabled, credentials } = change;
    const sealed = credentials ? this.#seal.seal(name, credentials) : credentials;
    return this.#record({ changed: { name, ...definedMembers({ enabled, sealed }) } }, options);
  }

  remove(name: string, options: ChangeOptions): Promise<void> {
    return this.#record({ removed: name }, options);
  }

  restore(name: string, options: ChangeOptions): Promise<void> {
    return this.#record({ restored: name }, options);
  }

  /** What was answered to the command of this key; undefined: nothing yet. Throws `KeyReusedError` for another command. */
  async answerTo(key: NamedKey): Promise<unknown> {
    await this.#catchUp();
    return this.#commands.find(key)?.answer;
  }

  /** Keeps what is answered to a command, for when it comes again. */
  async answered({ name }: NamedKey, answer: unknown): Promise<void> {
    const kept: BookAnswer = { answered: { name, answer } };
    await this.#journal.append(STREAM, [kept], { urgent: true });
  }

  /** Takes up what other nodes change, as they do, until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    await whenGrown(this.#journal, STREAM, signal, async () => {
      const before = this.#index;
      await this.#catchUp();
      if (this.#index > before) this.#tell();
    });
  }

  async #record(change: BookChange, { key, allowed, noted }: ChangeOptions): Promise<void> {
    for (;;) {
      await this.#catchUp();
      if (key && this.#commands.find(key)) return;
      allowed();
      try {
        const event: BookEvent = { ...change, ...(key && { key }) };
        const unit = [{ stream: STREAM, events: [event], expected: this.#index }, noted];
        await this.#journal.appendAll(unit, { urgent: true });
        break;
      } catch (error) {
        // Somebody else wrote: it is looked at anew.
        if (!(error instanceof IndexConflictError)) throw error;
      }
    }
    await this.#catchUp();
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const events = await eventsAfter<BookEvent>(this.#journal, STREAM, this.#index, PAGE);
      if (events.length === 0) return;
      for (const { index, payload } of events) {
        // Somebody else may have read it meanwhile.
        if (index <= this.#index) continue;
        this.#apply(payload);
        this.#index = index;
      }
    }
  }

  #apply(event: BookEvent): void {
    if (event.key) this.#commands.add(event.key);
    if ("answered" in event) this.#commands.answered(event.answered.name, event.answered.answer);
    else if ("added" in event) {
      const { name, url, sealed } = event.added;
      this.#added.set(name, { url, sealed });
      this.#disabled.delete(name);
    } else if ("removed" in event) {
      move(event.removed, this.#added, this.#removed);
      this.#disabled.delete(event.removed);
    } else if ("restored" in event) {
      move(event.restored, this.#removed, this.#added);
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

function move(name: string, from: Map<string, AddedAgent>, to: Map<string, AddedAgent>): void {
  const agent = from.get(name);
  if (agent) to.set(name, agent);
  from.delete(name);
}

/** So many commands are known again when they are repeated. */
const MAX_COMMANDS = 1_000;

interface KnownCommand {
  readonly hash: string;
  /** Undefined: a crash came before it was answered, or it is being carried out. */
  readonly answer?: unknown;
}

/** The last commands that had a key, and what was answered to them. */
class BookCommands {
  readonly #commands = new LruMap<string, KnownCommand>(MAX_COMMANDS);

  /** The command of this key; throws `KeyReusedError` where another one had it. */
  find({ name, hash }: NamedKey): KnownCommand | undefined {
    const known = this.#commands.get(name);
    if (known && known.hash !== hash) throw new KeyReusedError();
    return known;
  }

  add({ name, hash }: NamedKey): void {
    this.#commands.set(name, { hash });
  }

  answered(name: string, answer: unknown): void {
    const known = this.#commands.get(name);
    if (known) this.#commands.set(name, { ...known, answer });
  }
}
