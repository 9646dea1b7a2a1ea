import { z } from "zod";
import type { Json } from "../protocol/model.ts";
import type { ExtensionMember } from "./extension-member.ts";

const json: z.ZodType<Json> = z.json();

/** A tool that is about to be called; recorded before it runs. */
export const toolCall = {
  name: "toolCall",
  schema: z.object({
    id: z.string().min(1),
    tool: z.string().min(1),
    arguments: json,
  }),
} satisfies ExtensionMember<unknown>;

/** Content that is too large to travel along, by its hash. */
const blob = z.object({
  hash: z.string().min(1),
  size: z.int().nonnegative(),
  mediaType: z.string().exactOptional(),
});

/** How the call with this id ended; `unknown` where a crash came between and nobody can tell. */
export const toolResult = {
  name: "toolResult",
  schema: z
    .object({
      id: z.string().min(1),
      outcome: z.enum(["succeeded", "failed", "canceled", "unknown"]),
      result: json.exactOptional(),
      blob: blob.exactOptional(),
      durationMs: z.number().nonnegative(),
    })
    .refine(({ result, blob: large }) => result === undefined || large === undefined, {
      message: "a result is there or in a blob, not both",
      path: ["blob"],
    }),
} satisfies ExtensionMember<unknown>;
