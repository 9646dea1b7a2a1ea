import { KeyReusedError } from "@parley/sessions";
import type { NamedKey } from "../api/command-ids.ts";

/** So many commands are known again when they are repeated. */
const MOST_COMMANDS = 1_000;

interface KnownCommand {
  readonly hash: string;
  /** Undefined: a crash came before it was answered, or it is being carried out. */
  readonly answer?: unknown;
}

/** The last commands that had a key, and what was answered to them. */
export class BookCommands {
  readonly #commands = new Map<string, KnownCommand>();

  /** The command of this key; throws `KeyReusedError` where another one had it. */
  find({ name, hash }: NamedKey): KnownCommand | undefined {
    const known = this.#commands.get(name);
    if (known && known.hash !== hash) throw new KeyReusedError();
    return known;
  }

  add({ name, hash }: NamedKey): void {
    this.#commands.set(name, { hash });
    const [oldest] = this.#commands.keys();
    if (this.#commands.size > MOST_COMMANDS && oldest !== undefined) this.#commands.delete(oldest);
  }

  answered(name: string, answer: unknown): void {
    const known = this.#commands.get(name);
    if (known) this.#commands.set(name, { ...known, answer });
  }
}
