const PATHS = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/** Where an agent's card may be: at this very URL if it names a document, else below it, else at its host's root. */
export function cardPlaces(url: URL): readonly URL[] {
  if (url.pathname.endsWith(".json")) return [url];
  const base = url.pathname.replace(/(?<!\/)\/+$/, "");
  return [...new Set([base, ""])].flatMap((prefix) =>
    PATHS.map((path) => new URL(prefix + path, url.origin)),
  );
}

/** How long a card may be used without asking, in milliseconds; undefined when it must not be kept. */
export function lifetimeOf(headers: Headers): number | undefined {
  const control = headers.get("cache-control")?.toLowerCase() ?? "";
  if (/\bno-store\b/.test(control)) return undefined;
  if (/\bno-cache\b/.test(control)) return 0;
  const [, seconds] = /\bmax-age=(\d{1,9})/.exec(control) ?? [];
  return seconds === undefined ? UNSAID_MS : Math.min(Number(seconds) * 1_000, MAX_MS);
}

const UNSAID_MS = 60_000;
/** An agent that moved must be found again within the hour, whatever its card says. */
const MAX_MS = 3_600_000;
