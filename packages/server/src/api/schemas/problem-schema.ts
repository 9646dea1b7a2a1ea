import { z } from "@hono/zod-openapi";

const fieldError = z.object({
  path: z.string().openapi({ example: "body.content" }),
  message: z.string(),
});

/** An error, as RFC 9457 has it. */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    errors: z.array(fieldError).optional(),
  })
  .openapi("Problem");
