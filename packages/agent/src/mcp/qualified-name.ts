import { createHash } from "node:crypto";

/** Providers take no longer names, and no other characters than letters, digits, `_` and `-`. */
const LONGEST = 64;

/** The name `server__tool` under which a tool is offered: one that every provider takes, and not yet in `taken`. */
export function qualifiedName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const whole = `${server}__${tool}`;
  const name = whole.replaceAll(/[^A-Za-z0-9_-]/gu, "_");
  if (name.length <= LONGEST && !taken.has(name)) return name;
  const mark = createHash("sha256").update(whole).digest("hex").slice(0, 8);
  return `${name.slice(0, LONGEST - mark.length - 1)}_${mark}`;
}
