import type { Principal } from "@parley/sessions";
import { z } from "zod";
import type { Files } from "../../adapter-host.ts";
import { invalid } from "../../problem.ts";

/** A file as an argument: its content, or the id of one that is here already. */
export const givenFile = z
  .strictObject({
    id: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be the id of a file")
      .optional()
      .describe("Of a file that was uploaded, or that an agent made"),
    name: z.string().min(1).max(200).optional(),
    mediaType: z.string().min(1).max(200).optional().describe("For example text/csv"),
    text: z.string().optional().describe("Its content, where that is text"),
    base64: z.string().optional().describe("Its content, where that is not text"),
  })
  .refine(({ id, text, base64 }) => [id, text, base64].filter((given) => given !== undefined).length === 1, {
    message: "must have one of id, text and base64",
  });

/** The ids of the files, which are the principal's from now on. */
export function storedIds(
  files: Files,
  principal: Principal,
  given: readonly z.infer<typeof givenFile>[],
): Promise<string[]> {
  return Promise.all(
    given.map(async ({ id, name = "file", mediaType, text, base64 }, place) => {
      if (id !== undefined) return id;
      const content = text === undefined ? decoded(base64 ?? "", place) : Buffer.from(text);
      const type = mediaType ?? (text === undefined ? "application/octet-stream" : "text/plain");
      return (await files.put(principal, { name, mediaType: type, content })).blob;
    }),
  );
}

function decoded(base64: string, place: number): Buffer {
  const content = Buffer.from(base64, "base64");
  const [, unpadded] = /^([^=]*)={0,2}$/.exec(base64.replace(/\s+/g, "")) ?? [];
  if (unpadded === content.toString("base64").replace(/={1,2}$/, "")) return content;
  throw invalid(`arguments.files.${place}.base64`, "must be Base64");
}
