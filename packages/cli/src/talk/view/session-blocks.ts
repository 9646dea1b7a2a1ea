import type { RunRecord, SessionRecord, ShownMessage, ShownSession } from "@parley/client";
import { type Line, span, wrapped } from "../../terminal/line.ts";
import type { Block } from "./block.ts";
import { INDENT } from "./markdown-lines.ts";
import { endKey, type RunContext, runBlocks } from "./run-blocks.ts";

/** As much of a session as is shown. */
export type Conversation = Pick<
  ShownSession,
  "messages" | "runs" | "active" | "approvals" | "next" | "cancelling" | "updatedAt"
>;

/** A record, with nothing of the user's on its way. */
export function recordedConversation(record: SessionRecord): Conversation {
  return { ...record, approvals: Object.values(record.approvals), next: [], cancelling: [] };
}

/** A session in the order in which it is read: each run stands below the message that it answers; without the runs that were told to their end. */
export function* sessionBlocks(
  conversation: Conversation,
  now: number,
  isTold: (key: string) => boolean = () => false,
): Generator<Block> {
  const { messages, runs, active } = conversation;
  const all = { ...runs, ...active };
  const below = Map.groupBy(Object.values(all), ({ messageId }) => messageId);
  for (const message of messages) {
    const runId = message.metadata.agentRunId;
    // An answer is shown in its run; one that a fork began with has none here.
    const isInRun = message.role === "assistant" && runId !== undefined && runId in all;
    if (!isInRun) yield messageBlock(message);
    for (const run of below.get(message.id) ?? [])
      if (!isTold(endKey(run))) yield* runBlocks(run, contextOf(run, conversation, now));
  }
  for (const { key, content } of conversation.next)
    yield {
      kind: "lines",
      key: `next/${key}`,
      isSettled: false,
      lines: (width) => said(content, width, "queued"),
    };
}

/** What is known of a run besides itself. */
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
  const note = pending && pending.phase.name !== "acknowledged" ? "on its way" : undefined;
  return {
    kind: "lines",
    key,
    isSettled: pending === undefined,
    lines: (width) => [[], ...said(text, width, note)],
  };
}

function said(text: string, width: number, note: string | undefined): readonly Line[] {
  const rows = text.split("\n").flatMap((each, at) =>
    wrapped([span(each, "strong")], width, {
      first: [span(at === 0 ? "› " : INDENT, "notice")],
      rest: [span(INDENT)],
    }),
  );
  return note === undefined ? rows : [...rows, [span(`${INDENT}${note}`, "quiet")]];
}
