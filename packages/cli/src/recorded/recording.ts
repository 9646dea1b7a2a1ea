import { z } from "zod";

const FORMAT = "parley-recording/1";

/** Words; in the file one string for each line, so that a change of one line is a change of one line. */
const words = z.codec(z.union([z.string(), z.array(z.string())]), z.string(), {
  decode: (written) => (typeof written === "string" ? written : written.join("\n")),
  encode: (text) => (text.includes("\n") ? text.split("\n") : text),
});
const name = z.string().min(1);
const given = z.json();
/** The agent whose doing it is, where that is another than the one who was asked. */
const by = name.exactOptional();

/** What an agent does while it works, one after the other: it says, calls, asks or brings something. */
const moment = z.union([
  z.strictObject({ says: words, artifact: z.string().exactOptional(), by }),
  z.strictObject({
    calls: name,
    arguments: given.exactOptional(),
    outcome: z.enum(["succeeded", "failed", "canceled", "unknown"]).exactOptional(),
    result: given.exactOptional(),
    by,
  }),
  z.strictObject({ asks: words, tool: name.exactOptional(), arguments: given.exactOptional(), by }),
  z.strictObject({ brings: z.string(), parts: z.array(z.record(z.string(), given)), by }),
]);

/** One request of the supervisor to one agent, and what came of it. */
const call = z.strictObject({
  agent: name,
  /** Calls of one round are made side by side; those of the next, when they have ended. */
  round: z.int().positive(),
  request: words,
  does: z.array(moment),
  state: z.enum(["completed", "failed", "canceled", "unknown"]),
  /** What was said of it where it did not complete. */
  reason: words.exactOptional(),
});

const step = z.strictObject({
  id: name,
  title: z.string(),
  agent: name.exactOptional(),
  dependencies: z.array(z.string()),
  state: z.enum(["pending", "working", "waiting", "completed", "failed", "canceled", "skipped"]),
});

const answer = z.strictObject({
  question: words,
  agent: name.exactOptional(),
  tool: name.exactOptional(),
  decision: z.enum(["approved", "denied", "answered"]),
  text: words.exactOptional(),
  arguments: given.exactOptional(),
});

const file = z.strictObject({ name: z.string(), mediaType: z.string(), base64: z.base64() });

/** A message of the user's, and all that followed until it was answered. */
const turn = z.strictObject({
  message: words,
  files: z.array(file).exactOptional(),
  /** Who was asked: the supervisor, or an agent directly. */
  agent: name,
  /** The session's configuration, where it was another before. */
  config: z.record(z.string(), given).exactOptional(),
  /** What the user said while it was being answered. */
  meanwhile: z.array(words).exactOptional(),
  answers: z.array(answer).exactOptional(),
  plans: z.array(z.array(step)).exactOptional(),
  calls: z.array(call).exactOptional(),
  /** What an agent did that was asked directly. */
  does: z.array(moment).exactOptional(),
  state: z.enum(["completed", "failed", "cancelled"]),
  reason: words.exactOptional(),
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
  /** The supervisor's, as `provider:model`. */
  model: z.string().exactOptional(),
  /** Those whom the supervisor knew. */
  agents: z.array(z.strictObject({ name, description: z.string(), skills: z.array(skill) })),
  /** What was said before the first message, where the session is a fork. */
  history: z.array(z.strictObject({ role: z.enum(["user", "agent"]), text: words })).exactOptional(),
  turns: z.array(turn).min(1),
});

/** A session as a test: what was said and asked, and what came of it; nothing in it varies by nature. */
export type Recording = z.output<typeof recording>;
/** A recording as it stands in its file. */
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

/** A file is no recording, or a damaged one; the message says where. */
export class UnreadableRecordingError extends Error {}

export function readRecording(text: string): Recording {
  const read = recording.safeParse(parsedJson(text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const at = issue?.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  throw new UnreadableRecordingError(
    at === ".format" || at === ""
      ? `it is no recording of the format ${FORMAT}`
      : `${at?.replace(/^\./, "")}: ${issue?.message ?? "it cannot be read"}`,
  );
}

/** The text of a file that holds it: always the same for the same recording. */
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
    throw new UnreadableRecordingError(`it is not JSON (${(error as Error).message})`);
  }
}
