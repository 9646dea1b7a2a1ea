import { userIdOf } from "./people-events.ts";
import type { User } from "./people-queries.ts";

const SUBJECT = "sub:";

/** The users that `PARLEY_OPERATORS` lists. */
export class Operators {
  /** Email addresses, which count only where the provider has verified them. */
  readonly emails: readonly string[];
  readonly ids: readonly string[];

  /** Entries that start with `sub:` are subjects of the issuer, all others email addresses. */
  constructor(listed: readonly string[], issuer: string) {
    const subjects = listed.filter((text) => text.startsWith(SUBJECT));
    this.emails = listed.filter((text) => !text.startsWith(SUBJECT)).map((text) => text.toLowerCase());
    this.ids = subjects.map((text) => userIdOf({ issuer, subject: text.slice(SUBJECT.length) }));
  }

  get isEmpty(): boolean {
    return this.emails.length + this.ids.length === 0;
  }

  has({ id, email }: User): boolean {
    return this.ids.includes(id) || (email !== undefined && this.emails.includes(email.toLowerCase()));
  }
}

export const noOperators = new Operators([], "");
