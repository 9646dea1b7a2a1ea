import { hkdfSync, randomBytes } from "node:crypto";
import { type NamedKey, requestKey } from "@parley/adapters";
import { eventsAfter, IdempotentRequests, type Journal, type StreamAppend } from "@parley/journal";
import { intentHash, KeyReusedError, type Principal } from "@parley/sessions";

/** The request hash and the result of a command; secrets are not stored. */
interface KeptCommand {
  readonly hash: string;
  readonly made: unknown;
}

/** What a command may use: `kept` records its result in the same unit, `secret` returns random bytes. */
export interface CommandUnit<Made> {
  kept(made: Made): readonly StreamAppend[];
  /** Returns the same bytes whenever the command is repeated. */
  secret(bytes: number): Buffer;
}

/** A command, its caller and its `Idempotency-Key`. */
export interface KeyedCommand {
  readonly principal: Principal;
  readonly operation: string;
  readonly key: string | undefined;
  readonly asked: unknown;
}

/**
 * Gives commands that do not belong to a session one effect and one answer, however often they are sent (invariant 4): the
 * result is recorded in the unit that makes it. Secrets are not stored: they are derived from the record's key and the
 * caller's idempotency key, so that only a caller with that key can get them again.
 */
export class KeyedCommands {
  readonly #requests: IdempotentRequests<NamedKey, Pick<KeptCommand, "made">>;
  readonly #key: Buffer;

  /** `key` is random, and the same on all nodes of a record. */
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

  /** Runs the command, or returns its earlier result; throws `KeyReusedError` where the key belongs to another command. */
  async once<Made, Told = Made>(
    command: KeyedCommand,
    run: (unit: CommandUnit<Made>) => Promise<Told>,
    repeated: (made: Made, unit: Pick<CommandUnit<Made>, "secret">) => Told | Promise<Told> = (made) =>
      made as unknown as Told,
  ): Promise<Told> {
    const { principal, operation } = command;
    const key = requestKey(principal, operation, command);
    if (!key) return run({ kept: () => [], secret: randomBytes });
    const seed = intentHash(["secret", principal.workspace, principal.owner, operation, command.key]);
    const secret = (bytes: number) => Buffer.from(hkdfSync("sha256", this.#key, "", seed, bytes));
    const kept = (made: Made) => [{ stream: streamOf(key), events: [{ hash: key.hash, made }], expected: 0 }];
    const outcome = await this.#requests.once(key, async () => ({ told: await run({ kept, secret }) }));
    return "told" in outcome ? outcome.told : repeated(outcome.made as Made, { secret });
  }

  /** Runs a command without a result; `kept` must be part of the unit of its effect. */
  async onceDone(
    command: KeyedCommand,
    run: (kept: readonly StreamAppend[]) => Promise<unknown>,
  ): Promise<void> {
    await this.once<null>(command, ({ kept }) => run(kept(null)).then(() => null));
  }
}

function streamOf({ name }: NamedKey): string {
  return `command/${name}`;
}
