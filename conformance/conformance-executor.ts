import { setTimeout as sleep } from "node:timers/promises";
import {
  type Content,
  type Ending,
  type ExecutionContext,
  type Executor,
  type Message,
  type Part,
  textOf,
} from "@parley/a2a";

const FILE: Part = {
  raw: Buffer.from("Generated file content").toString("base64"),
  filename: "output.txt",
  mediaType: "text/plain",
};
const FILE_URL: Part = {
  url: "https://example.com/output.txt",
  filename: "output.txt",
  mediaType: "text/plain",
};
const DATA: Part = { data: { key: "value", count: 42 } };

type Behaviour = (context: ExecutionContext) => Promise<Ending | undefined>;

/** By the beginning of the message's id, the longest first: the public conformance kit drives agents so. */
const BEHAVIOURS: readonly (readonly [prefix: string, behaviour: Behaviour])[] = [
  ["tck-complete-task", async () => ({ state: "completed", message: "Hello from TCK" })],
  ["tck-artifact-file-url", artifact(FILE_URL)],
  ["tck-artifact-file", artifact(FILE)],
  ["tck-artifact-text", artifact({ text: "Generated text content" })],
  ["tck-artifact-data", artifact(DATA)],
  ["tck-delayed-complete", delayed],
  ["tck-auth-required", async () => ({ state: "auth-required", message: "Please log in" })],
  ["tck-input-required", async () => ({ state: "input-required", message: "Please go on" })],
  ["tck-reject-task", async () => ({ state: "rejected", message: "rejected" })],
  ["tck-stream-artifact-file", artifact(FILE)],
  ["tck-stream-artifact-chunked", chunked],
  ["tck-stream-artifact-text", artifact({ text: "Streamed text content" })],
  ["tck-stream-ordering-001", artifact({ text: "Ordered output" })],
  ["tck-stream-003", artifact({ text: "Stream task lifecycle" })],
  ["tck-stream-002", async () => undefined],
  ["tck-stream", artifact({ text: "Stream hello from TCK" })],
  ["test-resubscribe-message-id", waitFourSeconds],
  ["load-", load],
  ["echo-", echo],
];

/** Answers as the conformance kits expect; any other message gets input-required, as the v0.3 kit needs. */
export const conformanceExecutor: Executor = {
  async reply({ messageId }: Message): Promise<Content | undefined> {
    return messageId.startsWith("tck-message-response") ? "Direct message response" : undefined;
  },
  async execute(context) {
    // v0.1 has no ids of messages, but clients name its tasks.
    const names = [context.message.messageId, context.taskId];
    const [, behave] = BEHAVIOURS.find(([prefix]) => names.some((name) => name.startsWith(prefix))) ?? [];
    return behave ? behave(context) : { state: "input-required", message: "Please go on" };
  },
};

function artifact(part: Part): Behaviour {
  return async (context) => {
    await context.artifact({ name: "result" }).close([part]);
    return undefined;
  };
}

async function chunked(context: ExecutionContext): Promise<undefined> {
  const result = context.artifact({ name: "result" });
  await result.text("chunk-1 ");
  await result.close([{ text: "chunk-2" }]);
  return undefined;
}

async function delayed({ signal }: ExecutionContext): Promise<Ending> {
  await sleep(2_000, undefined, { signal });
  return { state: "completed", message: "Done after delay" };
}

async function waitFourSeconds({ signal }: ExecutionContext): Promise<undefined> {
  await sleep(4_000, undefined, { signal });
  return undefined;
}

/** `load-N`: N chunks as fast as they are taken. */
async function load(context: ExecutionContext): Promise<Ending | undefined> {
  const count = Number(/^load-(\d{1,7})/.exec(context.message.messageId)?.[1]);
  if (!count) return { state: "rejected", message: "load-N needs a number" };
  const result = context.artifact({ name: "result" });
  for (let n = 0; n < count && !context.signal.aborted; n++) await result.text(`token ${n} `);
  await result.close();
  return undefined;
}

/** `echo-M`: the message's own text in pieces of uneven size, cut inside characters too, every M milliseconds. */
async function echo(context: ExecutionContext): Promise<undefined> {
  const { message, signal } = context;
  const pause = Number(/^echo-(\d{1,4})/.exec(message.messageId)?.[1] ?? 0);
  const text = textOf(message);
  const result = context.artifact({ name: "result" });
  for (let start = 0, n = 0; start < text.length && !signal.aborted; n++) {
    const end = start + 1 + ((n * 7) % 11);
    await result.text(text.slice(start, end));
    start = end;
    if (pause > 0) await sleep(pause, undefined, { signal });
  }
  await result.close();
  return undefined;
}
