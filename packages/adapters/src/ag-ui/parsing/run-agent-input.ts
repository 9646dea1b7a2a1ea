import { contentToText, type Message, type RunAgentInput } from "@ag-ui/core";
import { MessageSchema, ResumeEntrySchema, RunAgentInputSchema } from "@ag-ui/core/schemas";
import { isObject, listOf } from "@parley/a2a";
import { z } from "zod";
import { messageContent, pathId } from "../../conversations/field-schemas.ts";
import { conversationName } from "../../conversations/named-session.ts";
import { invalid, issueCode, Problem, parseField } from "../../problem.ts";
import type { PlacedFile } from "./message-files.ts";

type UserMessage = Extract<Message, { role: "user" }>;

const fewParts = z
  .unknown()
  .refine((parts) => !Array.isArray(parts) || parts.length <= 1_000, "must be 1000 at most")
  .optional();
const few = z.array(z.unknown()).max(1_000);
const { tools, context } = RunAgentInputSchema.shape;

/** AG-UI's schema with limits: its own bounds no list, and reports every error in one. */
const boundedInput = RunAgentInputSchema.extend({
  messages: listOf(
    z.looseObject({ content: fewParts, toolCalls: fewParts }).pipe(MessageSchema),
    z.array(z.unknown()).max(10_000),
  ),
  tools: few.optional().pipe(tools),
  context: few.optional().pipe(context),
  resume: z.array(ResumeEntrySchema).max(100).optional(),
});

/** What Parley takes from `forwardedProps`. */
const wishes = z.strictObject({
  skill: z.string().min(1).max(200).optional(),
  thinking: z.boolean().optional(),
});

const chosenTool = z.looseObject({ function: z.looseObject({ name: z.string() }) });

/** A checked request to run an agent. */
export interface CheckedInput {
  readonly input: RunAgentInput;
  readonly wishes: z.infer<typeof wishes>;
  readonly unused: readonly string[];
  /** Whether the client speaks AG-UI as it was before 1.0. */
  readonly isEarlier: boolean;
  /** The session that the client last received events of, according to its state. */
  readonly seen: string | undefined;
  /** Whether only a tool of the page's may answer, as where a page asks for suggestions: none of our agents can. */
  readonly isForPage: boolean;
}

/** Checks a body; the `Problem` names the invalid field. */
export function checkedInput(body: unknown): CheckedInput {
  const read = boundedInput.safeParse(upgradeLegacyInput(body));
  if (!read.success) throw invalidInput(read.error.issues);
  const input = read.data as RunAgentInput;
  const { threadId, runId, tools, state, forwardedProps, protocolVersion } = input;
  parseField("threadId", conversationName, threadId);
  parseField("runId", conversationName, runId);
  if (protocolVersion !== undefined && Number(protocolVersion.split(".")[0]) > 1)
    throw invalid("protocolVersion", "must be 1.x: this is AG-UI 1.0");
  const asked = propertiesIn(forwardedProps);
  const { session: seen } = propertiesIn(propertiesIn(state).parley);
  const toolChoice = chosenTool.safeParse(asked.toolChoice);
  return {
    input,
    wishes: parseField("forwardedProps.parley", wishes, asked.parley ?? {}),
    unused: unusedIn(input, asked),
    isEarlier: protocolVersion === undefined,
    seen: typeof seen === "string" ? seen : undefined,
    isForPage: tools.some(({ name }) => name === toolChoice.data?.function.name),
  };
}

/** The text and files of the new message. */
export function partsOf(message: UserMessage, place: string) {
  parseField(`${place}.id`, pathId, message.id);
  const text = contentToText(message.content);
  const files = filesIn(message, place);
  parseField(`${place}.content`, messageContent, text);
  if (text.trim() === "" && files.length === 0)
    throw invalid(`${place}.content`, "must say something, or come with a file");
  return { text, files };
}

/** The files of a message, each with its path. */
export function filesIn(message: Message | undefined, place: string): readonly PlacedFile[] {
  if (message?.role !== "user" || typeof message.content === "string") return [];
  return message.content.flatMap((part, at) =>
    part.type === "text" ? [] : [{ part, place: `${place}.content.${at}` }],
  );
}

function invalidInput(issues: readonly z.core.$ZodIssue[]): Problem {
  const errors = issues.slice(0, 20).map(({ path, message }) => ({ path: path.join("."), message }));
  const messages = errors.slice(0, 3).map(({ path, message }) => `${path || "body"}: ${message}`);
  return new Problem(issueCode(issues[0]), messages.join("; "), { errors });
}

function propertiesIn(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function unusedIn(
  { tools, context, messages, parentRunId, state }: RunAgentInput,
  asked: object,
): readonly string[] {
  const own = new Set(["plan", "status", "parley"]);
  return [
    ...(tools.length > 0 ? ["tools"] : []),
    ...(context.length > 0 ? ["context"] : []),
    ...(messages.some(({ role }) => role === "system" || role === "developer") ? ["instructions"] : []),
    ...(parentRunId === undefined ? [] : ["parentRunId"]),
    ...(Object.keys(propertiesIn(state)).some((name) => !own.has(name)) ? ["state"] : []),
    ...(Object.keys(asked).some((name) => name !== "parley") ? ["forwardedProps"] : []),
  ];
}

type Properties = Readonly<Record<string, unknown>>;

const KINDS = ["image", "audio", "video"];

/**
 * Upgrades a request from before AG-UI 1.0, with `null` for absent fields and files as `binary` parts. State, payloads
 * and properties stay as they are.
 */
function upgradeLegacyInput(body: unknown): unknown {
  if (!isObject(body)) return body;
  const input = withoutNulls(body);
  return {
    ...input,
    ...each(input, "tools", withoutNulls),
    ...each(input, "resume", withoutNulls),
    ...each(input, "messages", upgradedMessage),
  };
}

function upgradedMessage(message: Properties): Properties {
  const upgraded = withoutNulls(message);
  return {
    ...upgraded,
    ...each(upgraded, "content", upgradedPart),
    ...each(upgraded, "toolCalls", withoutNulls),
  };
}

function upgradedPart(part: Properties): Properties {
  const { type, mimeType, data, url, filename } = part;
  if (type !== "binary" || typeof mimeType !== "string") return withoutNulls(part);
  const [family = ""] = mimeType.split("/");
  const source = data ? { type: "data", value: data } : { type: "url", value: url };
  return {
    type: KINDS.includes(family) ? family : "document",
    source: { ...source, mimeType },
    ...(typeof filename === "string" && { metadata: { filename } }),
  };
}

function each(value: Properties, name: string, change: (one: Properties) => Properties): Properties {
  const list = value[name];
  return Array.isArray(list) ? { [name]: list.map((one) => (isObject(one) ? change(one) : one)) } : {};
}

function withoutNulls(value: Properties): Properties {
  return Object.fromEntries(Object.entries(value).filter(([, property]) => property !== null));
}
