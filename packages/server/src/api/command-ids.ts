import { createHash, randomUUID } from "node:crypto";
import type { Principal } from "@parley/sessions";

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
  { header, chosen }: { header?: string | undefined; chosen?: string | undefined },
): CommandIds {
  const key = header ?? chosen;
  const seed = key ?? randomUUID();
  return {
    key: key === undefined ? undefined : `${operation}:${key}`,
    id(prefix, of = "") {
      const told = JSON.stringify([principal.workspace, principal.owner, operation, seed, prefix, of]);
      return `${prefix}_${createHash("sha256").update(told).digest("base64url").slice(0, 24)}`;
    },
  };
}

/** The key as the record takes it; a request that is several commands has one for each. */
export function keyed({ key }: Pick<CommandIds, "key">, part?: string): { key?: string } {
  if (key === undefined) return {};
  return { key: part === undefined ? key : `${key}:${part}` };
}
