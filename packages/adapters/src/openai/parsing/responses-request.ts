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

const id = z.string().min(1).max(300);

const part = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("input_text"), text }),
    z.object({ type: z.literal("output_text"), text }),
    z.object({ type: z.literal("refusal"), refusal: text }),
    z.object({
      type: z.literal("input_image"),
      image_url: z.string().nullish(),
      file_id: z.string().nullish(),
    }),
    z.object({
      type: z.literal("input_file"),
      file_data: z.string().nullish(),
      filename: z.string().max(255).nullish(),
      file_url: z.string().nullish(),
      file_id: z.string().nullish(),
    }),
  ],
  { error: "must be input_text, output_text, refusal, input_image or input_file" },
);

const message = z.object({
  type: z.literal("message").optional(),
  role: z.enum(["system", "developer", "user", "assistant"]),
  content: z.union([text, listOf(part, z.array(z.unknown()).max(1_000))]),
});
const approval = z.object({
  type: z.literal("mcp_approval_response"),
  approval_request_id: id,
  approve: z.boolean(),
  reason: z.string().max(100_000).nullish(),
});
/** Items of answers that are sent back: the record has them. */
const ours = z.object({ type: z.enum(["reasoning", "mcp_call", "mcp_approval_request", "mcp_list_tools"]) });
/** An item of an answer by its id, which is all that some clients send back. */
const reference = z.object({ type: z.literal("item_reference"), id });
const item = z.union([approval, ours, reference, message], {
  error: "must be a message, an mcp_approval_response, or an item of an answer of ours",
});

/** The body of `POST /v1/responses`, as far as it is used. */
export const responsesRequest = z.looseObject({
  model: z.string().min(1).max(200),
  input: z.union([text, listOf(item, z.array(z.unknown()).min(1).max(5_000))]),
  instructions: text.nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  previous_response_id: id.nullish(),
  conversation: z.union([id, z.object({ id })]).nullish(),
  reasoning: z
    .looseObject({ effort: z.string().max(40).nullish(), summary: z.string().max(40).nullish() })
    .nullish(),
  text: z.looseObject({}).nullish(),
  metadata: z
    .custom<object>((value) => Object.keys(Object(value)).length <= 16, "must have up to 16 pairs")
    .pipe(z.record(z.string().max(64), z.string().max(512)))
    .nullish(),
});

export type ResponsesRequest = z.infer<typeof responsesRequest>;
export type ApprovalResponse = z.infer<typeof approval>;

/** The input: a transcript that ends with a user message, or answers to approval requests. */
export type ResponsesInput =
  | { readonly kind: "transcript"; readonly transcript: ClientTranscript }
  | { readonly kind: "approvals"; readonly approvals: readonly ApprovalResponse[] };

export function responsesTranscript({
  input,
  instructions,
}: Pick<ResponsesRequest, "input" | "instructions">): ResponsesInput {
  const items = typeof input === "string" ? [{ role: "user" as const, content: input }] : input;
  // The record has the answers that came before the last message.
  const isMessage = (item: (typeof items)[number]) => "role" in item;
  const approvals = items
    .slice(items.findLastIndex(isMessage) + 1)
    .filter((item) => "approval_request_id" in item);
  const messages = items.flatMap((item, at) =>
    "role" in item
      ? [{ role: item.role, ...readContent(item.content, `input.${at}.content`, readPart) }]
      : [],
  );
  if (approvals.length > 0) return { kind: "approvals", approvals };
  const transcript = transcriptOf(messages, instructions ? [instructions] : []);
  if (transcript) return { kind: "transcript", transcript };
  throw invalidParam("input", "must end with a user message, or be an mcp_approval_response");
}

function readPart(each: z.infer<typeof part>, param: string): string | UploadedFile {
  switch (each.type) {
    case "input_text":
    case "output_text":
      return each.text;
    case "refusal":
      return each.refusal;
    case "input_image":
      if (!each.image_url) throw invalidParam(param, "send the image itself, as a data URL in image_url");
      return fileInDataUrl(each.image_url, `${param}.image_url`);
    case "input_file": {
      const { file_data: data, file_url: url } = each;
      const name = each.filename ?? undefined;
      if (url) return fileInDataUrl(url, `${param}.file_url`, name);
      if (!data) throw invalidParam(param, "send the file itself, as file_data");
      return fileInData(data, `${param}.file_data`, name);
    }
  }
}
