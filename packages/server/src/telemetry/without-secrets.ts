const SECRET_NAME =
  /^(authorization|proxy-authorization|(set-)?cookie|credentials?|passw(or)?d|(access|refresh|id)?[-_]?token|(client)?[-_]?secret|(x[-_])?api[-_]?key)$/i;
const USERINFO = /(:\/\/)[^\s/?#@]+@/g;
const DEEPEST = 6;

/**
 * A copy for the log in which no member whose name promises a secret has a value, and no URL a user; the same object
 * when there is none.
 */
export function withoutSecrets(value: Record<string, unknown>): Record<string, unknown> {
  return members(value, 0);
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.includes("@") ? value.replace(USERINFO, "$1[secret]@") : value;
  if (typeof value !== "object" || value === null) return value;
  // What lies deeper is not looked at, so it must not be written either; nor is a circle followed for ever.
  if (depth > DEEPEST) return "[deep]";
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
  return "toJSON" in value ? value : members(value as Record<string, unknown>, depth);
}

function members(value: Record<string, unknown>, depth: number): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const before = value[name];
    const after = SECRET_NAME.test(name) ? "[secret]" : clean(before, depth + 1);
    if (after === before) continue;
    copy ??= { ...value };
    copy[name] = after;
  }
  return copy ?? value;
}
