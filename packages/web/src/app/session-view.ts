import {
  type Approval,
  artifactsOf,
  type RunRecord,
  type ShownMessage,
  type ShownSession,
  type SyncState,
  shownSession,
} from "@parley/client";
import { type Accessor, createMemo, untrack } from "solid-js";
import { type TimelineItem, timelineOf } from "../conversation/timeline.ts";
import { createListMemo } from "./list-memo.ts";

/**
 * One session in signals. States are plain data of which unchanged parts stay the same objects, so each signal here
 * compares by identity: a token goes through to the block that it extends, and to nothing else.
 */
export interface SessionView {
  readonly id: Accessor<string>;
  /** Undefined until it is opened. */
  readonly shown: Accessor<ShownSession | undefined>;
  readonly title: Accessor<string>;
  /** What is shown, in its order, by keys that stay. */
  readonly timeline: Accessor<readonly TimelineItem[]>;
  message(id: string): ShownMessage | undefined;
  run(id: string): RunRecord | undefined;
  /** What a run brought besides words, also one whose answer a fork began with. */
  artifacts(runId: string): NonNullable<RunRecord["artifacts"]>;
  /** The message that a run ended with. */
  answer(runId: string): ShownMessage | undefined;
  /** A run's answer, or its text so far. */
  answerText(runId: string): string;
  readonly activeRun: Accessor<RunRecord | undefined>;
  readonly isCancelling: (runId: string) => boolean;
  /** Answered ones too, in the order in which they were asked. */
  readonly approvals: Accessor<readonly Approval[]>;
  /** The moment that is shown, in milliseconds since 1970, where that is not now: then nothing can be done about it. */
  readonly at?: Accessor<number>;
  /** It is read by a share link: the reader has access to nothing else. */
  readonly isShared?: true;
}

export function sessionView(state: Accessor<SyncState>, id: Accessor<string>): SessionView {
  const shown = createMemo(() => shownSession(state(), id()));
  const messages = createListMemo(() => shown()?.messages ?? []);
  const ended = createMemo(() => shown()?.runs ?? {});
  const active = createMemo(() => shown()?.active ?? {});
  const inherited = createMemo(() => {
    const brought = shown()?.inherited;
    return brought && { inherited: brought };
  });
  // Which runs there are changes seldom; what is in them, with every word.
  const activeIds = createListMemo(() => Object.keys(active()));
  const runs = createMemo(() => {
    activeIds();
    return { ...ended(), ...untrack(active) };
  });
  const byId = createMemo(() => new Map(messages().map((message) => [message.id, message])));
  const answers = createMemo(
    () =>
      new Map(
        messages().flatMap((each) => (each.role === "assistant" ? [[each.metadata.agentRunId, each]] : [])),
      ),
  );
  const timeline = createListMemo(() => timelineOf(messages(), runs()));
  const cancelling = createListMemo(() => shown()?.cancelling ?? []);
  const approvals = createListMemo(() => shown()?.approvals ?? []);
  const activeRun = createMemo(() => Object.values(active()).at(-1));
  // Until the first exchange gives it a title, a session is named by its first message.
  const title = createMemo(() => shown()?.title || (messages()[0]?.content.slice(0, 80) ?? ""));
  return {
    id,
    shown,
    title,
    timeline,
    activeRun,
    approvals,
    message: (messageId) => byId().get(messageId),
    run: (runId) => active()[runId] ?? ended()[runId],
    artifacts: (runId) => artifactsOf({ active: active(), runs: ended(), ...inherited() }, runId),
    answer: (runId) => answers().get(runId),
    answerText: (runId) => answers().get(runId)?.content ?? streamedAnswer(active()[runId] ?? ended()[runId]),
    isCancelling: (runId) => cancelling().includes(runId),
  };
}

function streamedAnswer(run: RunRecord | undefined): string {
  return Object.values(run?.texts ?? {})
    .filter(({ channel }) => channel === "answer")
    .map(({ text }) => text)
    .join("\n\n");
}
