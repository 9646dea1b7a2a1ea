import { z } from "zod";

/** What a message says; anything longer belongs in a file. */
export const messageContent = z.string().max(500_000);

/** An id that something recorded can have. */
export const pathId = z
  .string()
  .min(1)
  .max(150)
  .refine((id) => !/\p{Cc}/u.test(id), "must not hold control characters");

/** The key by which a repeated command is recognised. */
export const idempotencyKey = z.string().min(1).max(200);
