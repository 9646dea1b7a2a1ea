import { listOf } from "@parley/a2a";
import { z } from "zod";
import type { ClientTranscript, TranscriptMessage } from "../conversation/chat-command.ts";
import { invalidParam } from "../openai-error.ts";
import { fileInBase64, fileInDataUrl } from "./data-url.ts";

const MAX_LENGTH = 500_000;
const text = z.string().max(MAX_LENGTH, "must have up to 500,000 characters: send more as a file");
const MAX_FILES = 20;
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
/** What answers were made of, sent back: the record has it. */
const ours = z.object({ type: z.enum(["reasoning", "mcp_call", "mcp_approval_request", "mcp_list_tools"]) });
/** An item of an answer, by its id: some clients send back no more. */
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
  | { readonly kind: "said"; readonly transcript: ClientTranscript }
  | { readonly kind: "approvals"; readonly approvals: readonly ApprovalResponse[] };

export function responsesTranscript({
  input,
  instructions,
}: Pick<ResponsesRequest, "input" | "instructions">): ResponsesInput {
  const context: string[] = instructions ? [instructions] : [];
  const said: TranscriptMessage[] = [];
  let approvals: readonly ApprovalResponse[] = [];
  const items = typeof input === "string" ? [{ role: "user" as const, content: input }] : input;
  for (const [place, each] of items.entries()) {
    if ("approval_request_id" in each) approvals = [...approvals, each];
    if (!("role" in each)) continue;
    // The record has the answers that came before this message.
    approvals = [];
    const one = saidIn(each, `input.${place}.content`);
    if (each.role === "system" || each.role === "developer") context.push(one.content);
    else if (one.content.trim() !== "" || one.files.length > 0) said.push({ ...one, role: each.role });
  }
  if (approvals.length > 0) return { kind: "approvals", approvals };
  const now = said.pop();
  if (now?.role === "user")
    return { kind: "said", transcript: { context: context.join("\n\n").trim(), before: said, now } };
  throw invalidParam("input", "must end with a user message, or be an mcp_approval_response");
}

function saidIn(
  { content }: z.infer<typeof message>,
  param: string,
): Pick<TranscriptMessage, "content" | "files"> {
  if (typeof content === "string") return { content, files: [] };
  const words = content.flatMap((each) =>
    "text" in each ? [each.text] : each.type === "refusal" ? [each.refusal] : [],
  );
  const files = content.flatMap((each, place) => fileIn(each, `${param}.${place}`) ?? []);
  if (files.length > MAX_FILES) throw invalidParam(param, `may hold up to ${MAX_FILES} files`);
  return { content: words.join("\n"), files };
}

function fileIn(each: z.infer<typeof part>, param: string) {
  if (each.type === "input_image") {
    if (!each.image_url) throw invalidParam(param, "send the image itself, as a data URL in image_url");
    return fileInDataUrl(each.image_url, `${param}.image_url`);
  }
  if (each.type !== "input_file") return undefined;
  const { file_data: data, file_url: url } = each;
  const name = each.filename ?? undefined;
  if (url) return fileInDataUrl(url, `${param}.file_url`, name);
  if (!data) throw invalidParam(param, "send the file itself, as file_data");
  return /^data:/.test(data)
    ? fileInDataUrl(data, `${param}.file_data`, name)
    : fileInBase64(data, `${param}.file_data`, { mediaType: "application/octet-stream", name });
}
