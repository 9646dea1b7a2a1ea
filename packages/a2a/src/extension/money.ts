import { z } from "zod";

/** An amount in a currency of ISO 4217. */
export const money = z.object({
  amount: z.number().nonnegative(),
  currency: z.string().regex(/^[A-Z]{3}$/),
});
