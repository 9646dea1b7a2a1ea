import { createHash, randomUUID } from "node:crypto";
import { intentHash, type Principal } from "@parley/sessions";

/** The longest key that the record takes. */
const MAX_KEY = 300;

/** An idempotency key with the hash of its request. */
export interface NamedKey {
  readonly name: string;
  readonly hash: string;
}

/** The ids that a command gives to what it makes: a repeated command gives the same ones. */
export interface CommandIds {
  /** The idempotency key in the record; undefined: the command cannot be repeated. */
  readonly key: string | undefined;
  id(prefix: "ses" | "msg", of?: string): string;
}

/** Derives ids from the client's key, else from the id that the client chose, else at random. */
export function commandIds(
  principal: Principal,
  operation: string,
  { key, chosen }: { key?: string | undefined; chosen?: string | undefined },
): CommandIds {
  const given = key ?? chosen;
  const seed = given ?? randomUUID();
  const name = `${operation}:${given}`;
  return {
    key: given === undefined ? undefined : name.length <= MAX_KEY ? name : hashOf(name),
    id(prefix, of = "") {
      const parts = JSON.stringify([principal.workspace, principal.owner, operation, seed, prefix, of]);
      return `${prefix}_${hashOf(parts).slice(0, 24)}`;
    },
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** The key as the record takes it, with the request that it stands for. */
export function keyed({ key }: Pick<CommandIds, "key">, asked: unknown): { key?: string; asked?: unknown } {
  return key === undefined ? {} : { key, asked };
}

/** The idempotency key of a command outside the record, bound to the principal and the operation. */
export function requestKey(
  principal: Principal,
  operation: string,
  { key, asked }: { key: string | undefined; asked: unknown },
): NamedKey | undefined {
  if (key === undefined) return undefined;
  const { workspace, owner } = principal;
  const name = intentHash([workspace, owner, operation, key]);
  // Only the client knows the key, so nobody can guess the request from the hash.
  return { name, hash: intentHash([key, asked]) };
}
