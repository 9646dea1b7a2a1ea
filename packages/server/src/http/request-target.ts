const UNRESERVED = /[\w.~-]/;

/**
 * A request's target with one spelling for each path, for everything behind the guard: authenticators match the raw path and
 * routers the decoded one, so `/%6beys` becomes `/keys` here (RFC 3986, 6.2.2.2). Undefined: a router could take it for
 * another path, because a segment is `.` or `..`, an escape is malformed, or it has a backslash or a fragment.
 */
export function canonicalTarget(target: string): string | undefined {
  const [path = ""] = target.split("?", 1);
  // "%2%65" would decode to an escape.
  if (/[\\#]|%(?![0-9a-f]{2})/i.test(path)) return undefined;
  const plain = path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded;
  });
  if (plain.split("/").some((segment) => segment === "." || segment === "..")) return undefined;
  return plain + target.slice(path.length);
}
