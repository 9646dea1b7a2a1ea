import type { Authenticator, WorkspaceRole } from "../identity.ts";
import { NotAuthenticatedError } from "../identity-errors.ts";
import type { KeyStore, ValidKey } from "./key-store.ts";

const BEARER = /^Bearer +(parley_\S*) *$/i;
/** Clients that insist on a key send placeholders, which are ignored. */
const OURS = /^parley_/;
const RANKS: readonly WorkspaceRole[] = ["viewer", "editor", "owner"];

/** A person's current role in a workspace, undefined where they are no member, and the signal that it ends. */
interface Standing {
  readonly role: WorkspaceRole | undefined;
  readonly ended: AbortSignal;
}

/** Undefined for accounts that never sign in. */
export type RoleLookup = (owner: string, workspace: string) => Promise<Standing | undefined>;

/** The standing of the person that a key depends on: its user, or the creator of its service account. */
export async function standingOf(
  { key, createdBy }: Pick<ValidKey, "key" | "createdBy">,
  roleOf: RoleLookup,
): Promise<Standing | undefined> {
  return (
    (await roleOf(key.owner, key.workspace)) ??
    (createdBy && (await roleOf(createdBy.owner, createdBy.workspace)))
  );
}

/** Authenticates by an API key: `Authorization: Bearer parley_…`, or `X-API-Key`. */
export function apiKeyAuthenticator(
  keys: KeyStore,
  roleOf: RoleLookup = async () => undefined,
): Authenticator {
  return async ({ headers }) => {
    const [, bearer] = BEARER.exec(headers.authorization ?? "") ?? [];
    const other = String(headers["x-api-key"] ?? "");
    const secret = bearer ?? (OURS.test(other) ? other : undefined);
    if (secret === undefined) return undefined;
    const valid = keys.find(secret);
    const { ended } = valid;
    const { owner, workspace, role, name } = valid.key;
    const identity = { owner, workspace, role, name: `${owner} (${name})`, isBound: true, ended };
    const standing = await standingOf(valid, roleOf);
    if (!standing) return identity;
    // A key never has more rights than its user now has, or the creator of its service account.
    if (!standing.role)
      throw new NotAuthenticatedError("The user of this API key is no longer a member of its workspace");
    return {
      ...identity,
      role: lesser(role, standing.role),
      ended: AbortSignal.any([ended, standing.ended]),
    };
  };
}

function lesser(one: WorkspaceRole, other: WorkspaceRole): WorkspaceRole {
  return RANKS.indexOf(one) < RANKS.indexOf(other) ? one : other;
}
