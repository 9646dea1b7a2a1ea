import { z } from "@hono/zod-openapi";

/** An id in a path: whatever cannot be one is not there. */
export const pathId = z
  .string()
  .min(1)
  .max(150)
  .refine((id) => !/\p{Cc}/u.test(id), "must not hold control characters");

/** An id that a client chose. */
export const chosenId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16,100}$/, "must be 16 to 100 letters, digits, _ or -")
  .openapi({ description: "Chosen by the client; the same id again is the same command again" });

/** The same for a session. */
export const chosenSessionId = chosenId.openapi({
  description:
    "Chosen by the client; the same id again is the same command again. A UUID, or `ses_` and 32 hexadecimal digits, " +
    "is the session's id; any other is a name of the caller's own, and the answer has the id",
});

export const sessionParams = z.object({ id: pathId });
export const messageParams = z.object({ id: pathId, messageId: pathId });
export const runParams = z.object({ id: pathId, runId: pathId });

/** The header by which a repeated command is recognised. */
export const commandHeaders = z.object({
  "Idempotency-Key": z.string().min(1).max(200).optional(),
});

/** The header by which a client says what it has. */
export const conditionalHeaders = z.object({ "If-None-Match": z.string().max(1_000).optional() });

const INDEX = /^\d{1,15}$/;

/** A whole number in a query. */
export function wholeNumber(description: string) {
  return z
    .string()
    .regex(INDEX, "must be a whole number of 0 or more")
    .transform(Number)
    .openapi({ type: "integer", minimum: 0, description });
}

/** How many of a list are wanted at once. */
export function pageLimit(most: number, usual: number) {
  return z
    .string()
    .regex(INDEX, "must be a whole number")
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= most, `must be 1 to ${most}`)
    .default(usual)
    .openapi({ type: "integer", minimum: 1, maximum: most, default: usual });
}

export const cursor = z.string().max(8_000).optional().openapi({
  description: "Where the page before ended: its `next`",
});

/** Yes or no in a query. */
export const flag = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .openapi({ type: "boolean" });
