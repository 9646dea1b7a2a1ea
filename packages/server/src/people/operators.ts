import { userIdOf } from "./people-events.ts";
import type { User } from "./people-queries.ts";

const SUBJECT = "sub:";

/** Who of those that sign in runs the platform, as its operator lists them in `PARLEY_OPERATORS`. */
export class Operators {
  /** Addresses, which only count where the provider vouches for them. */
  readonly emails: readonly string[];
  /** Users' ids, which follow from issuer and subject. */
  readonly ids: readonly string[];

  /** `sub:` comes before a subject of the issuer's; all else are addresses. Who chooses a subject like an address is nobody. */
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

/** Nobody is listed. */
export const noOperators = new Operators([], "");
