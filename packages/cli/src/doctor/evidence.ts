/** One question and its answer, as they travelled, without secrets. */
export interface Evidence {
  readonly request: string;
  readonly answer: string;
}

/** Characters of one side that are kept: enough for a whole exchange, not for a flood. */
const MAX_KEPT = 20_000;

/** The names of members whose values are nobody's business. */
const SECRET_MEMBERS =
  /("(?:credentials|password|secret|token|apiKey|api_key|accessToken|access_token)"\s*:\s*")[^"]+"/gi;

/** Takes the given secrets out of whatever is shown, and shortens it. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  // A bearer's token is a secret without the word before it, too.
  const words = secrets.flatMap((it) => [it, ...it.split(/\s+/).slice(1)]).filter((it) => it.length >= 4);
  const longestFirst = [...new Set(words)].sort((one, other) => other.length - one.length);
  return (text) => {
    let shown = text;
    for (const secret of longestFirst) shown = shown.replaceAll(secret, "•••");
    // Last, so that no secret is cut in two.
    return shortened(shown.replace(SECRET_MEMBERS, '$1•••"'), MAX_KEPT);
  };
}

/** The beginning of a text, and how much was left out. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
