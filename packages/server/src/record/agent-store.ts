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

type StoredEvent = AgentEvent & { readonly key?: NamedKey };

/** The answer to a command with an idempotency key. */
interface AnsweredEvent {
  readonly answered: { readonly name: string; readonly answer: unknown };
}

type AgentEvent =
  | AnsweredEvent
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

/** How a change is made: once per key, and only if it is allowed in the state before it. */
export interface ChangeOptions {
  readonly key?: NamedKey | undefined;
  /** Throws where the change is not allowed. */
  readonly allowed: () => void;
  readonly noted: StreamAppend;
}

/** An agent that was added by the API. */
export interface AddedAgent {
  readonly url: string;
  readonly sealed?: string | undefined;
}

/** The agents that were added by the API, and those of any source that are disabled; stored in a stream of the journal. */
export class AgentStore implements AgentSource {
  readonly #journal: Journal;
  readonly #seal: SecretSeal;
  readonly #log: Log;
  readonly #added = new Map<string, AddedAgent>();
  readonly #removed = new Map<string, AddedAgent>();
  readonly #disabled = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #commands = new AnsweredCommands();
  #index = 0;

  private constructor(journal: Journal, seal: SecretSeal, log: Log) {
    this.#journal = journal;
    this.#seal = seal;
    this.#log = log;
  }

  static async open(journal: Journal, seal: SecretSeal, log: Log): Promise<AgentStore> {
    const store = new AgentStore(journal, seal, log);
    await store.#catchUp();
    return store;
  }

  get added(): ReadonlyMap<string, AddedAgent> {
    return this.#added;
  }

  /** Removed agents that can be restored: the last of each name. */
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

  /** The enabled agents of a source. */
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

  /** The answer to the command with this key, if there is one; throws `KeyReusedError` for another command. */
  async answerTo(key: NamedKey): Promise<unknown> {
    await this.#catchUp();
    return this.#commands.find(key)?.answer;
  }

  /** Stores the answer to a command, for its repetition. */
  async answered({ name }: NamedKey, answer: unknown): Promise<void> {
    const kept: AnsweredEvent = { answered: { name, answer } };
    await this.#journal.append(STREAM, [kept], { urgent: true });
  }

  /** Follows changes of other nodes until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    await whenGrown(this.#journal, STREAM, signal, async () => {
      const before = this.#index;
      await this.#catchUp();
      if (this.#index > before) this.#notify();
    });
  }

  async #record(change: AgentEvent, { key, allowed, noted }: ChangeOptions): Promise<void> {
    for (;;) {
      await this.#catchUp();
      if (key && this.#commands.find(key)) return;
      allowed();
      try {
        const event: StoredEvent = { ...change, ...(key && { key }) };
        const unit = [{ stream: STREAM, events: [event], expected: this.#index }, noted];
        await this.#journal.appendAll(unit, { urgent: true });
        break;
      } catch (error) {
        // Another change came first: check again.
        if (!(error instanceof IndexConflictError)) throw error;
      }
    }
    await this.#catchUp();
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const events = await eventsAfter<StoredEvent>(this.#journal, STREAM, this.#index, PAGE);
      if (events.length === 0) return;
      for (const { index, payload } of events) {
        // A concurrent call may have applied it.
        if (index <= this.#index) continue;
        this.#apply(payload);
        this.#index = index;
      }
    }
  }

  #apply(event: StoredEvent): void {
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
      this.#log.error({ agent: name, err: error }, "credentials of the agent cannot be decrypted");
      return undefined;
    }
  }
}

function move(name: string, from: Map<string, AddedAgent>, to: Map<string, AddedAgent>): void {
  const agent = from.get(name);
  if (agent) to.set(name, agent);
  from.delete(name);
}

/** How many commands are recognised when they are repeated. */
const MAX_COMMANDS = 1_000;

interface KnownCommand {
  readonly hash: string;
  /** Missing while the command runs, or after a crash before its answer. */
  readonly answer?: unknown;
}

/** The last commands with a key, and their answers. */
class AnsweredCommands {
  readonly #commands = new LruMap<string, KnownCommand>(MAX_COMMANDS);

  /** Throws `KeyReusedError` where the key belongs to another command. */
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
