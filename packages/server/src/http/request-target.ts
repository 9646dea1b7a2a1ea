const UNRESERVED = /[\w.~-]/;

/**
 * Normalises a request target (RFC 3986, 6.2.2.2), because authenticators match the raw path and routers the decoded one:
 * `/%6beys` becomes `/keys`. Undefined where a router could read another path: dot segments, malformed escapes,
 * backslashes or a fragment.
 */
export function canonicalTarget(target: string): string | undefined {
  const [path = ""] = target.split("?", 1);
  // "%2%65" would decode to another escape.
  if (/[\\#]|%(?![0-9a-f]{2})/i.test(path)) return undefined;
  const plain = path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded;
  });
  if (plain.split("/").some((segment) => segment === "." || segment === "..")) return undefined;
  return plain + target.slice(path.length);
}
