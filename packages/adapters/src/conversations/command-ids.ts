import { createHash, randomUUID } from "node:crypto";
import { intentHash, type Principal } from "@parley/sessions";

/** The record takes no longer ones, and a client's key is only part of it. */
const MAX_KEY = 300;

/** What a command is known by when it is sent again, and what it asked for. */
export interface NamedKey {
  readonly name: string;
  readonly hash: string;
}

/** The ids that a command gives to what it makes: a repeated command gives the same ones. */
export interface CommandIds {
  /** What the record knows the command by; undefined: it cannot be repeated. */
  readonly key: string | undefined;
  id(prefix: "ses" | "msg", of?: string): string;
}

/** Takes them from the client's key, else from the id that the client chose, else from chance. */
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
      const told = JSON.stringify([principal.workspace, principal.owner, operation, seed, prefix, of]);
      return `${prefix}_${hashOf(told).slice(0, 24)}`;
    },
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** The key as the record takes it, with what the client asked for under it. */
export function keyed({ key }: Pick<CommandIds, "key">, asked: unknown): { key?: string; asked?: unknown } {
  return key === undefined ? {} : { key, asked };
}

/** The key of a command that is not the record's: whose it is and what it is for are part of its name and of its hash. */
export function requestKey(
  principal: Principal,
  operation: string,
  { key, asked }: { key: string | undefined; asked: unknown },
): NamedKey | undefined {
  if (key === undefined) return undefined;
  const { workspace, owner } = principal;
  const name = intentHash([workspace, owner, operation, key]);
  // The key is known to the client alone, so nobody can try what was asked for against the hash.
  return { name, hash: intentHash([key, asked]) };
}
