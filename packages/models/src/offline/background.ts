const LONGEST_RESULTS = 4_000;
const LONGEST_ANSWER = 1_500;
const MOST_SAID = 5;
const SAID_HEADING = "Said before:";
const RESULTS_HEADING = "Results so far:";

/** What the user said once, and what came of it. */
export interface Said {
  readonly request: string;
  readonly answer: string;
}

/** What whoever is asked did not see, and needs. */
export interface Background {
  readonly said?: readonly Said[];
  readonly results?: readonly string[];
}

/** A request for someone who saw neither the conversation nor the steps before it, with what is needed of them. */
export function withBackground(request: string, { said = [], results = [] }: Background): string {
  const told = said.slice(-MOST_SAID).map(wordSaid);
  const found = results.join("\n\n").slice(0, LONGEST_RESULTS);
  return [
    request,
    ...(told.length > 0 ? [`${SAID_HEADING}\n${told.join("\n")}`] : []),
    ...(found === "" ? [] : [`${RESULTS_HEADING}\n${found}`]),
  ].join("\n\n");
}

/**
 * The same taken apart again: what is asked for, what was said before, and what was found before, one result each.
 * Results may stand under any heading that calls them so, each under a title of its own or behind a blank line.
 */
export function splitBackground(text: string): Required<Background> & { readonly request: string } {
  const [, before = text, found = ""] = /^(.*?)\n\n *Results\b[^\n]*: *\n(.*)$/s.exec(text) ?? [];
  const [, request = before, said = ""] = /^(.*?)\n\n *Said before: *\n(.*)$/s.exec(before) ?? [];
  const results = found.split(/^### /m.test(found) ? /^### .*$/m : /\n\s*\n/).map((one) => one.trim());
  return { request, said: saidIn(said), results: results.filter((one) => one !== "") };
}

/** Every line but the first of each is set in, so that nothing in an answer looks like a beginning. */
function wordSaid({ request, answer }: Said): string {
  const setIn = (text: string) => text.trim().slice(0, LONGEST_ANSWER).replaceAll("\n", "\n  ");
  return `- Request: ${setIn(request)}\n- Answer: ${setIn(answer)}`;
}

function saidIn(text: string): Said[] {
  return text
    .split(/^- Request: /m)
    .slice(1)
    .map((one) => {
      const [request = "", answer = ""] = one
        .split(/^- Answer: /m)
        .map((it) => it.replaceAll("\n  ", "\n").trim());
      return { request, answer };
    });
}
