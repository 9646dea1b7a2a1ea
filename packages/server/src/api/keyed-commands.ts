import { hkdfSync, randomBytes } from "node:crypto";
import { type NamedKey, requestKey } from "@parley/adapters";
import { eventsAfter, IdempotentRequests, type Journal, type StreamAppend } from "@parley/journal";
import { intentHash, KeyReusedError, type Principal } from "@parley/sessions";

/** What a command under a key asked for, and what was made; a secret is no part of it. */
interface KeptCommand {
  readonly hash: string;
  readonly made: unknown;
}

/** What a command does: `kept` says what it made, as part of the unit that makes it; `secret` gives random bytes. */
export interface CommandUnit<Made> {
  kept(made: Made): readonly StreamAppend[];
  /** The same bytes whenever the command is repeated. */
  secret(bytes: number): Buffer;
}

/** A command, by whom, and under which `Idempotency-Key`. */
export interface KeyedCommand {
  readonly principal: Principal;
  readonly operation: string;
  readonly key: string | undefined;
  readonly asked: unknown;
}

/**
 * Lets a command that is not a session's have one effect and one answer, however often it comes (invariant 4): what it
 * made is recorded in the unit that makes it. A secret that was told is not kept: it follows from the record's key and
 * the caller's key, which nobody keeps, so that it can be told again to who has that key alone.
 */
export class KeyedCommands {
  readonly #requests: IdempotentRequests<NamedKey, Pick<KeptCommand, "made">>;
  readonly #key: Buffer;

  /** `key`: random bytes that all nodes of a record share. */
  constructor(journal: Journal, key: Buffer) {
    this.#requests = new IdempotentRequests({
      find: async (request) => {
        const [kept] = await eventsAfter<KeptCommand>(journal, streamOf(request), 0, 1);
        return kept && { hash: kept.payload.hash, effect: { made: kept.payload.made } };
      },
      reused: () => new KeyReusedError(),
    });
    this.#key = key;
  }

  /** Carries it out, or gives what it made when it was; throws `KeyReusedError` for another command under its key. */
  async once<Made, Told = Made>(
    command: KeyedCommand,
    carryOut: (unit: CommandUnit<Made>) => Promise<Told>,
    repeated: (made: Made, unit: Pick<CommandUnit<Made>, "secret">) => Told | Promise<Told> = (made) =>
      made as unknown as Told,
  ): Promise<Told> {
    const { principal, operation } = command;
    const key = requestKey(principal, operation, command);
    if (!key) return carryOut({ kept: () => [], secret: randomBytes });
    const seed = intentHash(["secret", principal.workspace, principal.owner, operation, command.key]);
    const secret = (bytes: number) => Buffer.from(hkdfSync("sha256", this.#key, "", seed, bytes));
    const kept = (made: Made) => [{ stream: streamOf(key), events: [{ hash: key.hash, made }], expected: 0 }];
    const outcome = await this.#requests.once(key, async () => ({ told: await carryOut({ kept, secret }) }));
    return "told" in outcome ? outcome.told : repeated(outcome.made as Made, { secret });
  }

  /** The same for a command that makes nothing; `kept` is part of the unit of its effect. */
  async onceDone(
    command: KeyedCommand,
    carryOut: (kept: readonly StreamAppend[]) => Promise<unknown>,
  ): Promise<void> {
    await this.once<null>(command, ({ kept }) => carryOut(kept(null)).then(() => null));
  }
}

function streamOf({ name }: NamedKey): string {
  return `command/${name}`;
}
