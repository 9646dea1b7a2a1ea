import type { Agent } from "@parley/client";

/** A security scheme of an agent's card. */
export type Scheme = NonNullable<Agent["schemes"]>[number];

/** What was entered for a scheme: one secret, or two. */
export interface Secrets {
  readonly first?: string;
  readonly second?: string;
}

/** The credentials that were entered, in the form that the server takes; undefined: none was. */
export function credentialsFrom(
  schemes: readonly Scheme[],
  entered: Readonly<Record<string, Secrets>>,
): Readonly<Record<string, unknown>> | undefined {
  const given = schemes.flatMap(({ name, kind }) => {
    const credential = credentialOf(kind, entered[name] ?? {});
    return credential ? [[name, { kind, ...credential }] as const] : [];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function credentialOf(kind: Scheme["kind"], { first = "", second = "" }: Secrets) {
  if (first === "") return undefined;
  switch (kind) {
    case "apiKey":
      return { value: first };
    case "bearer":
      return { token: first };
    case "basic":
      return { username: first, password: second };
    case "other":
      return undefined;
  }
}
