import { z } from "zod";

/** The text of a message; anything longer belongs in a file. */
export const messageContent = z.string().max(500_000);

/** A valid id of something recorded. */
export const pathId = z
  .string()
  .min(1)
  .max(150)
  .refine((id) => !/\p{Cc}/u.test(id), "must not hold control characters");

export const idempotencyKey = z.string().min(1).max(200);
