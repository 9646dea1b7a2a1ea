import { randomBytes } from "node:crypto";

/** For tests: random secrets by name, and which of them a text leaks in any common encoding. */
export class Canaries {
  readonly #secrets = new Map<string, string>();

  /** Creates a secret that looks like a real key. */
  make(name: string): string {
    const secret = `cnry${randomBytes(12).toString("hex")}`;
    this.#secrets.set(name, secret);
    return secret;
  }

  /** The names of the secrets in this text. */
  in(text: string): string[] {
    return [...this.#secrets]
      .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
      .map(([name]) => name);
  }

  get names(): string[] {
    return [...this.#secrets.keys()];
  }
}

// In Base64 the first and last characters depend on the surrounding bytes.
function formsOf(secret: string): string[] {
  const encoded = [0, 1, 2].map((shift) => {
    const text = Buffer.from("x".repeat(shift) + secret).toString("base64");
    return text.slice(4, -4);
  });
  const hex = Buffer.from(secret).toString("hex");
  return [secret, secret.toUpperCase(), [...secret].reverse().join(""), hex, ...encoded];
}
