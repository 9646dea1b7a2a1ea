import { listOf } from "@parley/a2a";
import { z } from "zod";
import type { UploadedFile } from "../../adapter-host.ts";
import type { ClientTranscript } from "../conversation/chat-command.ts";
import { invalidParam } from "../openai-error.ts";
import {
  fileInData,
  fileInDataUrl,
  readContent,
  messageText as text,
  transcriptOf,
} from "./message-parts.ts";

const part = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text"), text }),
    z.object({ type: z.literal("refusal"), refusal: text }),
    z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
    z.object({
      type: z.literal("file"),
      file: z.object({
        file_data: z.string().optional(),
        filename: z.string().max(255).optional(),
        file_id: z.string().optional(),
      }),
    }),
    z.object({ type: z.literal("input_audio") }),
  ],
  { error: "must be text, refusal, image_url or file" },
);

const content = z.union([text, listOf(part, z.array(z.unknown()).max(1_000))]).nullish();
const message = z.object({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content,
});

/** The body of `POST /v1/chat/completions`, as far as it is used. */
export const chatRequest = z.looseObject({
  model: z.string().min(1).max(200),
  messages: listOf(message, z.array(z.unknown()).min(1).max(5_000)),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  reasoning_effort: z.string().max(40).nullish(),
});

export type ChatRequest = z.infer<typeof chatRequest>;

/** The client's transcript, without tool messages: tools run on the server. */
export function chatTranscript({ messages }: Pick<ChatRequest, "messages">): ClientTranscript {
  const read = messages.map(({ role, content }, at) => ({
    role,
    ...readContent(content, `messages.${at}.content`, readPart),
  }));
  const transcript = transcriptOf(read);
  if (transcript) return transcript;
  throw invalidParam("messages", "the last message must be a non-empty user message");
}

function readPart(each: z.infer<typeof part>, param: string): string | UploadedFile {
  switch (each.type) {
    case "text":
      return each.text;
    case "refusal":
      return each.refusal;
    case "image_url":
      return fileInDataUrl(each.image_url.url, `${param}.image_url.url`);
    case "file": {
      const { file_data: data, filename: name } = each.file;
      if (data === undefined) throw invalidParam(`${param}.file`, "send the file itself, as file_data");
      return fileInData(data, `${param}.file.file_data`, name);
    }
    case "input_audio":
      throw invalidParam(param, "audio cannot be heard here: send text, or the recording as a file");
  }
}
