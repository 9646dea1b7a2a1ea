import { listOf } from "@parley/a2a";
import { z } from "zod";
import type { ClientTranscript, TranscriptMessage } from "../conversation/chat-command.ts";
import { invalidParam } from "../openai-error.ts";
import { fileInBase64, fileInDataUrl } from "./data-url.ts";

const MAX_LENGTH = 500_000;
const text = z.string().max(MAX_LENGTH, "must have up to 500,000 characters: send more as a file");
const MAX_FILES = 20;

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
type Message = ChatRequest["messages"][number];

/** The client's transcript, without tool messages: tools run on the server. */
export function chatTranscript({ messages }: Pick<ChatRequest, "messages">): ClientTranscript {
  const context: string[] = [];
  const said: TranscriptMessage[] = [];
  for (const [place, message] of messages.entries()) {
    const one = saidIn(message, `messages.${place}.content`);
    if (message.role === "system" || message.role === "developer") context.push(one.content);
    if (
      (message.role === "user" || message.role === "assistant") &&
      (one.content.trim() !== "" || one.files.length > 0)
    )
      said.push({ ...one, role: message.role });
  }
  const now = said.pop();
  if (now?.role !== "user")
    throw invalidParam("messages", "the last message must be a non-empty user message");
  return { context: context.join("\n\n").trim(), before: said, now };
}

function saidIn({ content }: Message, param: string): Pick<TranscriptMessage, "content" | "files"> {
  if (content === null || content === undefined) return { content: "", files: [] };
  if (typeof content === "string") return { content, files: [] };
  const words = content.flatMap((each) =>
    each.type === "text" ? [each.text] : each.type === "refusal" ? [each.refusal] : [],
  );
  const files = content.flatMap((each, place) => fileIn(each, `${param}.${place}`) ?? []);
  if (files.length > MAX_FILES) throw invalidParam(param, `may hold up to ${MAX_FILES} files`);
  return { content: words.join("\n"), files };
}

function fileIn(each: z.infer<typeof part>, param: string) {
  switch (each.type) {
    case "text":
    case "refusal":
      return undefined;
    case "image_url":
      return fileInDataUrl(each.image_url.url, `${param}.image_url.url`);
    case "file": {
      const { file_data: data, filename: name } = each.file;
      if (data === undefined) throw invalidParam(`${param}.file`, "send the file itself, as file_data");
      return /^data:/.test(data)
        ? fileInDataUrl(data, `${param}.file.file_data`, name)
        : fileInBase64(data, `${param}.file.file_data`, { mediaType: "application/octet-stream", name });
    }
    case "input_audio":
      throw invalidParam(param, "audio cannot be heard here: send text, or the recording as a file");
  }
}
