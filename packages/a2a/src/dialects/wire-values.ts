import { z } from "zod";

const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|z|[+-]\d\d:?\d\d)?$/;

/** Base64 of either alphabet, with or without padding; comes out as the standard one with padding. */
export const base64 = z.string().transform((text, context) => {
  if (text.length % 4 === 0 && STANDARD.test(text)) return text;
  const bare = text
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/(?<!=)=+$/, "");
  if (/^[A-Za-z0-9+/]*$/.test(bare) && bare.length % 4 !== 1) {
    return bare.padEnd(Math.ceil(bare.length / 4) * 4, "=");
  }
  context.addIssue({ code: "custom", message: "must be base64" });
  return z.NEVER;
});

/** A time of RFC 3339; comes out in UTC with Z, its fraction kept. Old agents leave out the zone: UTC. */
export const timestamp = z.string().transform((text, context) => {
  const utc = inUtc(text);
  if (utc !== undefined) return utc;
  context.addIssue({ code: "custom", message: "must be a time such as 2025-01-31T12:00:00Z" });
  return z.NEVER;
});

function inUtc(text: string): string | undefined {
  const [, day, time, fraction = "", zone = "Z"] = TIMESTAMP.exec(text) ?? [];
  const moment = Date.parse(`${day}T${time}${zone === "z" ? "Z" : zone}`);
  if (Number.isNaN(moment)) return undefined;
  const utc = new Date(moment).toISOString();
  return `${utc.slice(0, -".000Z".length)}${fraction}Z`;
}
