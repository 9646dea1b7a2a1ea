import { randomBytes } from "node:crypto";

/** For tests: random secrets by name, and which of them a text gives away, in whatever usual form. */
export class Canaries {
  readonly #secrets = new Map<string, string>();

  /** A new one; it looks like a key that somebody could have. */
  make(name: string): string {
    const secret = `cnry${randomBytes(12).toString("hex")}`;
    this.#secrets.set(name, secret);
    return secret;
  }

  /** The names of those in this text. */
  in(text: string): string[] {
    return [...this.#secrets]
      .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
      .map(([name]) => name);
  }

  get names(): string[] {
    return [...this.#secrets.keys()];
  }
}

// In base64 the beginning and the end depend on what is around.
function formsOf(secret: string): string[] {
  const encoded = [0, 1, 2].map((shift) => {
    const text = Buffer.from("x".repeat(shift) + secret).toString("base64");
    return text.slice(4, -4);
  });
  const hex = Buffer.from(secret).toString("hex");
  return [secret, secret.toUpperCase(), [...secret].reverse().join(""), hex, ...encoded];
}
