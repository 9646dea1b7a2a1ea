import { LOCAL_USER, type WorkspaceUser } from "../identity.ts";
import { memberTag, type People } from "../people/people.ts";
import { isUserId } from "../people/people-events.ts";
import type { Revocations } from "../people/revocations.ts";
import { type RoleLookup, standingOf } from "./api-key-authenticator.ts";
import type { KeyStore, ValidKey } from "./key-store.ts";

/** Looks up the roles of people who sign in. */
export function memberRoles(
  people: Pick<People, "role">,
  revocations: Pick<Revocations, "signal">,
): RoleLookup {
  return async (owner, workspace) => {
    if (!isUserId(owner)) return undefined;
    // Taken before the role is read, so that a revocation between the two is not missed.
    const ended = revocations.signal({ tags: [memberTag(workspace, owner)] });
    return { role: await people.role(workspace, owner), ended };
  };
}

/** Whether users still have access; the links that they made stop working when they do not. */
export class AccountAccess {
  readonly #keys: Pick<KeyStore, "keysOf">;
  readonly #roleOf: RoleLookup;

  constructor(keys: Pick<KeyStore, "keysOf">, roleOf: RoleLookup) {
    this.#keys = keys;
    this.#roleOf = roleOf;
  }

  /**
   * Undefined where the user has no access: people who are no members, service accounts without a valid key. Otherwise a
   * signal that is aborted when that may have changed: one of several keys may have ended, so check again.
   */
  async ofUser(user: WorkspaceUser): Promise<AbortSignal | undefined> {
    const { owner, workspace } = user;
    const person = await this.#roleOf(owner, workspace);
    if (person) return person.role && person.ended;
    // The local user needs no key.
    if (owner === LOCAL_USER.owner && workspace === LOCAL_USER.workspace) return new AbortController().signal;
    const signals = await Promise.all(this.#keys.keysOf(user).map((key) => this.#ofKey(key)));
    const valid = signals.filter((signal) => signal !== undefined);
    return valid.length > 0 ? AbortSignal.any(valid) : undefined;
  }

  async #ofKey(key: ValidKey): Promise<AbortSignal | undefined> {
    const standing = await standingOf(key, this.#roleOf);
    if (!standing) return key.ended;
    return standing.role && AbortSignal.any([key.ended, standing.ended]);
  }
}
