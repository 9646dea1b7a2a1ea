import type { Authenticator, IdentifiedRequest, Identity, Role } from "./identity.ts";
import type { KeyBook } from "./key-book.ts";
import { NotAuthenticatedError } from "./not-authenticated-error.ts";

const BEARER = /^Bearer +(parley_\S*) *$/i;
/** What else clients send there, because they want something to be there, is no key of ours. */
const OURS = /^parley_/;
const RANKS: readonly Role[] = ["viewer", "editor", "owner"];

/** What a person is in a workspace now, and when that ends; undefined: the user is nobody who signs in. */
export type StandingOf = (
  owner: string,
  workspace: string,
) => Promise<{ readonly role: Role | undefined; readonly ended: AbortSignal } | undefined>;

/** Who sends a request by its API key: `Authorization: Bearer parley_…`, or `X-API-Key`. */
export class ApiKeys implements Authenticator {
  readonly #book: KeyBook;
  readonly #standingOf: StandingOf;

  constructor(book: KeyBook, standingOf: StandingOf = async () => undefined) {
    this.#book = book;
    this.#standingOf = standingOf;
  }

  async identify({ headers }: IdentifiedRequest): Promise<Identity | undefined> {
    const [, bearer] = BEARER.exec(headers.authorization ?? "") ?? [];
    const other = String(headers["x-api-key"] ?? "");
    const secret = bearer ?? (OURS.test(other) ? other : undefined);
    if (secret === undefined) return undefined;
    const { key, createdBy, ended } = this.#book.find(secret);
    const { owner, workspace, role, name } = key;
    const identity = { owner, workspace, role, name: `${owner} (${name})`, isBound: true, ended };
    const standing =
      (await this.#standingOf(owner, workspace)) ??
      (createdBy && (await this.#standingOf(createdBy.owner, createdBy.workspace)));
    if (!standing) return identity;
    // A key is never more than its user, nor a service account's more than its maker: who was removed, or may less than before, does not keep it by a key.
    if (!standing.role)
      throw new NotAuthenticatedError("This API key's user is no member of its workspace any more");
    return {
      ...identity,
      role: lesser(role, standing.role),
      ended: AbortSignal.any([ended, standing.ended]),
    };
  }
}

function lesser(one: Role, other: Role): Role {
  return RANKS.indexOf(one) < RANKS.indexOf(other) ? one : other;
}
