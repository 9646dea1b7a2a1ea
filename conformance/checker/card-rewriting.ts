const INTERFACES = ["supportedInterfaces", "additionalInterfaces"];
const OWN_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1?\]|0\.0\.0\.0)$/;

/** Whether a card is served at this path. */
export function isCardPath(path: string): boolean {
  return /\/(agent-card\.json|agent\.json|extendedAgentCard|v1\/card)(\?|$)/.test(path);
}

/** The card with `to` wherever it names `from`; an interface that is elsewhere, such as gRPC's, is left out. */
export function rewriteCard(text: string, from: URL, to: URL): string {
  let card: { [name: string]: unknown };
  try {
    card = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof card !== "object" || card === null) return text;
  const own = (url: unknown) => (typeof url === "string" ? rewriteUrl(url, from, to) : undefined);
  const rewritten = { ...card };
  if (card.url !== undefined) rewritten.url = own(card.url) ?? card.url;
  for (const name of INTERFACES) {
    const list = card[name];
    if (!Array.isArray(list)) continue;
    rewritten[name] = list.flatMap((it) => {
      const url = own(it?.url);
      return url === undefined ? [] : [{ ...it, url }];
    });
  }
  return JSON.stringify(rewritten);
}

function rewriteUrl(text: string, from: URL, to: URL): string | undefined {
  const url = URL.parse(text);
  // A relative URL resolves against the card's own server.
  if (url === null) return text.includes(":") ? undefined : text;
  if (url.protocol !== from.protocol || url.port !== from.port || !isSameHost(url, from)) return undefined;
  const rest = text.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
  return to.origin + rest;
}

function isSameHost(one: URL, other: URL): boolean {
  return one.hostname === other.hostname || [one, other].every((it) => OWN_MACHINE.test(it.hostname));
}
