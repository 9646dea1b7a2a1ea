import { z } from "zod";

const FORMAT = "parley-recording/1";

/** A text; in the file one string per line, so that diffs are readable. */
const words = z.codec(z.union([z.string(), z.array(z.string())]), z.string(), {
  decode: (written) => (typeof written === "string" ? written : written.join("\n")),
  encode: (text) => (text.includes("\n") ? text.split("\n") : text),
});
const name = z.string().min(1);
const given = z.json();
/** The agent that did it, where that is not the one that was asked. */
const by = name.optional();

/** One action of an agent: a text, a call, a question or a file. */
const moment = z.union([
  z.strictObject({ says: words, artifact: z.string().optional(), by }),
  z.strictObject({
    calls: name,
    arguments: given.optional(),
    outcome: z.enum(["succeeded", "failed", "canceled", "unknown"]).optional(),
    result: given.optional(),
    by,
  }),
  z.strictObject({ asks: words, tool: name.optional(), arguments: given.optional(), by }),
  z.strictObject({ brings: z.string(), parts: z.array(z.record(z.string(), given)), by }),
]);

/** One request of the supervisor to an agent, and its outcome. */
const call = z.strictObject({
  agent: name,
  /** Calls of one round run in parallel; the next round starts when they have ended. */
  round: z.int().positive(),
  request: words,
  does: z.array(moment),
  state: z.enum(["completed", "failed", "canceled", "unknown"]),
  /** Why it did not complete. */
  reason: words.optional(),
});

const step = z.strictObject({
  id: name,
  title: z.string(),
  agent: name.optional(),
  dependencies: z.array(z.string()),
  state: z.enum(["pending", "working", "waiting", "completed", "failed", "canceled", "skipped"]),
});

const answer = z.strictObject({
  question: words,
  agent: name.optional(),
  tool: name.optional(),
  decision: z.enum(["approved", "denied", "answered"]),
  text: words.optional(),
  arguments: given.optional(),
});

const file = z.strictObject({ name: z.string(), mediaType: z.string(), base64: z.base64() });

/** A user message, and everything until it was answered. */
const turn = z.strictObject({
  message: words,
  files: z.array(file).optional(),
  /** The supervisor, or an agent that was asked directly. */
  agent: name,
  /** The session's configuration, where it changed. */
  config: z.record(z.string(), given).optional(),
  /** Messages of the user while it was being answered. */
  meanwhile: z.array(words).optional(),
  answers: z.array(answer).optional(),
  plans: z.array(z.array(step)).optional(),
  calls: z.array(call).optional(),
  /** What a directly asked agent did. */
  does: z.array(moment).optional(),
  state: z.enum(["completed", "failed", "cancelled"]),
  reason: words.optional(),
  text: words,
});

const skill = z.strictObject({
  id: name,
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  examples: z.array(z.string()).exactOptional(),
});

const recording = z.strictObject({
  format: z.literal(FORMAT),
  title: z.string(),
  /** The supervisor's model, as `provider:model`. */
  model: z.string().optional(),
  /** The agents that the supervisor knew. */
  agents: z.array(z.strictObject({ name, description: z.string(), skills: z.array(skill) })),
  /** The messages before the first turn, where the session is a fork. */
  history: z.array(z.strictObject({ role: z.enum(["user", "agent"]), text: words })).optional(),
  turns: z.array(turn).min(1),
});

/** A session as a test: messages, questions and outcomes, without ids, times and durations. */
export type Recording = z.output<typeof recording>;
/** A recording as it is written to a file. */
export type WrittenRecording = z.input<typeof recording>;
export type RecordedTurn = Recording["turns"][number];
export type RecordedCall = NonNullable<RecordedTurn["calls"]>[number];
export type RecordedAnswer = NonNullable<RecordedTurn["answers"]>[number];
export type RecordedPlan = NonNullable<RecordedTurn["plans"]>[number];
export type RecordedAgent = Recording["agents"][number];
export type Moment = z.output<typeof moment>;

/** What an agent answered to one request. */
export type RecordedWork = Pick<RecordedCall, "request" | "does" | "reason"> & {
  readonly state: RecordedCall["state"] | RecordedTurn["state"];
};

/** A file is not a valid recording; the message says where. */
export class UnreadableRecordingError extends Error {}

export function readRecording(text: string): Recording {
  const read = recording.safeParse(parsedJson(text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const at = issue?.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  throw new UnreadableRecordingError(
    at === ".format" || at === ""
      ? `not a recording in the format ${FORMAT}`
      : `${at?.replace(/^\./, "")}: ${issue?.message ?? "invalid"}`,
  );
}

/** Serializes a recording; the same recording always gives the same text. */
export function writtenRecording(value: Recording): string {
  return `${JSON.stringify(z.encode(recording, value), null, 2)}\n`;
}

export function newRecording(value: Omit<Recording, "format">): Recording {
  return { format: FORMAT, ...value };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableRecordingError(`not JSON (${(error as Error).message})`);
  }
}
