import { type Journal, KeyedMutex } from "@parley/journal";
import { CommandRefusedError } from "../domain/session-command.ts";
import type { RequestKey } from "./request-key.ts";
import { findKey, type RequestKeyRow } from "./request-key-table.ts";

/** Lets a command with a key have one effect, however often it comes and wherever (invariant 4). */
export class RequestKeys {
  readonly #journal: Journal;
  readonly #underWay = new KeyedMutex();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Carries the command out, which records the key with its effect, or answers with where that is recorded. */
  once<Outcome>(key: RequestKey, carryOut: () => Promise<Outcome>): Promise<Outcome | RequestKeyRow> {
    const name = JSON.stringify([key.owner, key.key]);
    return this.#underWay.runOnce(name, { find: () => this.#find(key), work: carryOut });
  }

  async #find({ owner, key, hash }: RequestKey): Promise<RequestKeyRow | undefined> {
    const row = await findKey(this.#journal.database, owner, key);
    if (row && row.hash !== hash) throw new KeyReusedError();
    return row;
  }
}

/** The key already names another command of the same owner. */
export class KeyReusedError extends CommandRefusedError {
  override readonly name = "KeyReusedError";
  constructor() {
    super("conflict", "This Idempotency-Key was used for another command: choose a new one");
  }
}
