import type { RunRecord, SessionRecord, ShownMessage, ShownSession } from "@parley/client";
import { type Line, span, wrapped } from "../../terminal/line.ts";
import type { Block } from "./block.ts";
import { INDENT } from "./markdown-lines.ts";
import { endKey, type RunContext, runBlocks } from "./run-blocks.ts";

/** The part of a session that is shown. */
export type Conversation = Pick<
  ShownSession,
  "messages" | "runs" | "active" | "approvals" | "next" | "cancelling" | "updatedAt"
>;

/** A record without pending commands of the user. */
export function recordedConversation(record: SessionRecord): Conversation {
  return { ...record, approvals: Object.values(record.approvals), next: [], cancelling: [] };
}

/** A session in reading order: each run below the message that it answers, without runs that were shown to their end. */
export function* sessionBlocks(
  conversation: Conversation,
  now: number,
  isShown: (key: string) => boolean = () => false,
): Generator<Block> {
  const { messages, runs, active } = conversation;
  const all = { ...runs, ...active };
  const below = Map.groupBy(Object.values(all), ({ messageId }) => messageId);
  for (const message of messages) {
    const runId = message.metadata.agentRunId;
    // An answer is shown in its run; a fork's first messages have no run here.
    const isInRun = message.role === "assistant" && runId !== undefined && runId in all;
    if (!isInRun) yield messageBlock(message);
    for (const run of below.get(message.id) ?? [])
      if (!isShown(endKey(run))) yield* runBlocks(run, contextOf(run, conversation, now));
  }
  for (const { key, content } of conversation.next)
    yield {
      kind: "lines",
      key: `next/${key}`,
      isSettled: false,
      lines: (width) => messageLines(content, width, "queued"),
    };
}

/** What the display of a run depends on besides the run. */
export function contextOf(run: RunRecord, conversation: Conversation, now: number): RunContext {
  const { messages, approvals, cancelling, updatedAt } = conversation;
  const isAnswer = ({ role, metadata }: ShownMessage) =>
    role === "assistant" && metadata.agentRunId === run.id;
  return {
    now,
    heardAt: Date.parse(updatedAt ?? "") || now,
    isCancelling: cancelling.includes(run.id),
    answer: messages.findLast(isAnswer)?.content,
    approvals: approvals.filter(({ runId }) => runId === run.id),
  };
}

export function messageKey({ id }: Pick<ShownMessage, "id">): string {
  return `message/${id}`;
}

function messageBlock(message: ShownMessage): Block {
  const { role, content, pending, metadata } = message;
  const key = messageKey(message);
  if (role !== "user") return { kind: "text", key, text: content, isDone: true };
  const files = (metadata.files ?? []).map(({ name }) => name);
  const text = [content, ...files.map((name) => `[${name}]`)].join("\n");
  const note = pending && pending.phase.name !== "acknowledged" ? "sending" : undefined;
  return {
    kind: "lines",
    key,
    isSettled: pending === undefined,
    lines: (width) => [[], ...messageLines(text, width, note)],
  };
}

function messageLines(text: string, width: number, note: string | undefined): readonly Line[] {
  const rows = text.split("\n").flatMap((each, at) =>
    wrapped([span(each, "strong")], width, {
      first: [span(at === 0 ? "› " : INDENT, "notice")],
      rest: [span(INDENT)],
    }),
  );
  return note === undefined ? rows : [...rows, [span(`${INDENT}${note}`, "quiet")]];
}
