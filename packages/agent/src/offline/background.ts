const HEADING = "Results so far:";
const LONGEST = 4_000;

/** A request for someone who did not see the steps before it, with what they came to. */
export function withBackground(request: string, results: readonly string[]): string {
  return `${request}\n\n${HEADING}\n${results.join("\n\n")}`.slice(0, request.length + LONGEST);
}

/** The same taken apart again: what is asked for, and what was found before. */
export function splitBackground(text: string): { readonly request: string; readonly results: string } {
  const at = text.indexOf(`\n\n${HEADING}\n`);
  if (at === -1) return { request: text, results: "" };
  return { request: text.slice(0, at), results: text.slice(at + HEADING.length + 3) };
}
