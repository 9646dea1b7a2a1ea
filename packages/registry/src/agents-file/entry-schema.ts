import { z } from "zod";

const text = z.string().min(1, "expected a text that is not empty");
const webUrl = text.refine(isWebUrl, "expected a URL with https:// or http://, without user and password");

const credential = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("apiKey"), value: text }),
    z.strictObject({ kind: z.literal("bearer"), token: text }),
    z.strictObject({ kind: z.literal("basic"), username: text, password: z.string() }),
    z.strictObject({
      kind: z.literal("clientCredentials"),
      clientId: text,
      clientSecret: text,
      secretIn: z.enum(["basic", "post"]).exactOptional(),
      scopes: z.array(text).exactOptional(),
      tokenUrl: webUrl.exactOptional(),
    }),
  ],
  "expected a kind: apiKey, bearer, basic or clientCredentials",
);

/** The whole of `agents.json`; its entries are read one by one, so that a wrong one spoils no other. */
export const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  agents: z.record(z.string(), z.unknown()),
});

/** One agent of `agents.json`, after its variables were replaced; `auth` by the names that its card gives its schemes. */
export const entrySchema = z.strictObject({
  url: webUrl,
  auth: z.record(z.string(), credential).exactOptional(),
});

function isWebUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}
