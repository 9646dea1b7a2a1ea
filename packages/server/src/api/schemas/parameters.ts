import { z } from "@hono/zod-openapi";

/** Non-empty text without control characters. */
export function printable(maxLength: number, text: z.ZodString = z.string()) {
  return text
    .min(1)
    .max(maxLength)
    .refine((given) => !/\p{Cc}/u.test(given), "must not have control characters");
}

/** An id in a path; anything that cannot be an id is not found. */
export const pathId = printable(150);

const CHOSEN = "Chosen by the client; the same id again repeats the command";

/** An id that a client chose. */
export const chosenId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16,100}$/, "must be 16 to 100 letters, digits, _ or -")
  .describe(CHOSEN);

/** A session id that a client chose. */
export const chosenSessionId = chosenId.describe(
  `${CHOSEN}. A UUID, or \`ses_\` and 32 hexadecimal digits, becomes the session's id; any other is a name that only ` +
    "the caller knows, and the response has the id",
);

const INDEX = /^\d{1,15}$/;

/** A whole number in a query. */
export function wholeNumber(description: string) {
  return z
    .string()
    .regex(INDEX, "must be a whole number of 0 or more")
    .transform(Number)
    .openapi({ type: "integer", minimum: 0, description });
}

/** How many entries a page has at most. */
export function pageLimit(most: number, usual: number) {
  return z
    .string()
    .regex(INDEX, "must be a whole number")
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= most, `must be 1 to ${most}`)
    .default(usual)
    .openapi({ type: "integer", minimum: 1, maximum: most, default: usual });
}

export const cursor = z.string().max(8_000).optional().describe("The `next` of the previous page");

/** The cursor of the next page; null on the last page. */
export const next = z.string().nullable();

/** A boolean in a query. */
export const flag = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .openapi({ type: "boolean" });
