import { readFileSync } from "node:fs";
import type { Agent } from "@parley/client";
import { CommandError, EXIT } from "../../command-error.ts";
import { fromHere } from "../../from-here.ts";
import { oneLine } from "../../terminal/one-line.ts";

type Scheme = NonNullable<Agent["schemes"]>[number];

/** Credentials as the API takes them, from `scheme=secret`; no error repeats a secret. */
export function credentialsFrom(
  given: readonly string[],
  schemes: readonly Scheme[],
): Record<string, Record<string, string>> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw new CommandError("--auth takes SCHEME=SECRET, like bearerAuth=env:TOKEN", EXIT.usage);
      const name = text.slice(0, at);
      const scheme = schemes.find((one) => one.name === name);
      const known = schemes.map((one) => oneLine(one.name, 60)).join(", ");
      if (!scheme)
        throw new CommandError(
          `The agent's card has no security scheme ${name}: it has ${known}`,
          EXIT.usage,
        );
      return [name, credential(scheme, secretIn(text.slice(at + 1)))];
    }),
  );
}

function secretIn(text: string): string {
  if (text.startsWith("env:")) {
    const value = process.env[text.slice(4)];
    if (value) return value;
    throw new CommandError(`${text.slice(4)} is not set in the environment`, EXIT.usage);
  }
  if (!text.startsWith("@")) return text;
  try {
    return readFileSync(fromHere(text.slice(1)), "utf8").trim();
  } catch {
    throw new CommandError(`${text.slice(1)} cannot be read: name a file with the secret in it`, EXIT.usage);
  }
}

function credential({ name, kind }: Scheme, secret: string): Record<string, string> {
  switch (kind) {
    case "apiKey":
      return { kind, value: secret };
    case "bearer":
      return { kind, token: secret };
    case "basic": {
      const at = secret.indexOf(":");
      if (at < 0) throw new CommandError(`${name} takes user:password`, EXIT.usage);
      return { kind, username: secret.slice(0, at), password: secret.slice(at + 1) };
    }
    case "other":
      throw new CommandError(`${name} is of a kind that Parley cannot use`, EXIT.usage);
  }
}
