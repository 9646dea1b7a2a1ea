import type { Authenticator, IdentifiedRequest, Identity } from "./identity.ts";
import type { KeyBook } from "./key-book.ts";

const BEARER = /^Bearer +(parley_\S*) *$/i;

/** Who sends a request by its API key: `Authorization: Bearer parley_…`, or `X-API-Key`. */
export class ApiKeys implements Authenticator {
  readonly #book: KeyBook;

  constructor(book: KeyBook) {
    this.#book = book;
  }

  async identify({ headers }: IdentifiedRequest): Promise<Identity | undefined> {
    const [, bearer] = BEARER.exec(headers.authorization ?? "") ?? [];
    const secret = bearer ?? headers["x-api-key"];
    if (secret === undefined) return undefined;
    const { key, ended } = this.#book.find(String(secret));
    const { owner, workspace, role, name } = key;
    return { owner, workspace, role, name: `${owner} (${name})`, isBound: true, ended };
  }
}
