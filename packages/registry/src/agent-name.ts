const LONGEST = 64;

/** What an agent listed under a name must be called, to be the name of a model's tool as it stands. */
export const agentNamePattern = /^[a-z0-9_-]{1,64}$/;

/** A name made into one that a model's tool can have: "Café Finder (beta)" is `cafe-finder-beta`; it may be empty. */
export function toolName(text: string): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const name = plain.replaceAll(/[^a-z0-9_]+/g, "-").replaceAll(/-{2,}/g, "-");
  return trimmed(trimmed(name).slice(0, LONGEST));
}

/** The name itself, or with -2, -3 and so on behind it when it is taken. */
export function uniqueName(name: string, taken: ReadonlySet<string>): string {
  let unique = name;
  for (let count = 2; taken.has(unique); count++) {
    const suffix = `-${count}`;
    unique = name.slice(0, LONGEST - suffix.length) + suffix;
  }
  return unique;
}

function trimmed(name: string): string {
  return name.replaceAll(/^-+|(?<!-)-+$/g, "");
}

/** The name of the agent that people talk to where they choose none. */
export const SUPERVISOR = "supervisor";
