import {
  type Approval,
  CommandRefusedError,
  isEnded,
  type Principal,
  type Run,
  type SessionEvent,
  type SessionState,
  type Sessions,
} from "@parley/sessions";
import { answerText, questionsOf } from "../../conversations/session-reading.ts";
import { eventsSinceBeginning, type FollowedRun, followRun } from "../../followed-run.ts";
import type { RunPartRef } from "../conversation/chat-command.ts";

/** A part of a run, between two questions to a person, as far as it has come. */
export interface RunPart {
  readonly state: SessionState;
  readonly run: Run;
  /** The number of questions before it. */
  readonly part: number;
  /** The index of the session's last event before it. */
  readonly after: number;
  /** The start of the run, in seconds since 1970. */
  readonly createdAt: number;
  /** The answer's text before it. */
  readonly base: string;
  readonly before: Run["texts"];
  /** The run's texts until now, or until the question that it waits at. */
  readonly texts: Run["texts"];
}

/** Finds the beginning of a part of a run; undefined: there is no such part. */
export async function findRunPart(
  sessions: Sessions,
  principal: Principal,
  { sessionId, runId, part }: Pick<RunPartRef, "sessionId" | "runId" | "part">,
): Promise<RunPart | undefined> {
  const state = await sessions.state(principal, sessionId);
  const run = state.runs.get(runId);
  const question = questionsOf(state, runId)[part - 1];
  if (!run || (part > 0 && !question?.answer && !isEnded(run))) return undefined;
  const waitsAt = run.status === "waiting" ? questionsOf(state, runId).slice(part).find(isOpen) : undefined;
  const fold = new RunTexts();
  let found: Omit<RunPart, "texts"> | undefined;
  let createdAt = 0;
  for await (const page of eventsSinceBeginning(sessions, principal, state, runId)) {
    for (const { index, at, event } of page) {
      if (!("runId" in event) || event.runId !== runId) continue;
      if (event.type === "agent_start") createdAt = Math.floor(at / 1_000);
      const asked = event.type === "approval_requested" ? event.approvalId : undefined;
      if (part === 0 ? event.type === "agent_start" : asked === question?.id && asked !== undefined) {
        const before = new Map(fold.texts);
        found = { state, run, part, after: index, createdAt, base: fold.answer, before };
        if (!waitsAt) return { ...found, texts: run.texts };
      }
      if (found && asked !== undefined && asked === waitsAt?.id) return { ...found, texts: fold.texts };
      fold.accept(event);
    }
  }
  return undefined;
}

function isOpen({ answer }: Approval): boolean {
  return !answer;
}

/** The texts of a run, by artifact. */
export class RunTexts {
  readonly texts: Map<string, { readonly channel: string; readonly text: string }>;

  constructor(before: Run["texts"] = new Map()) {
    this.texts = new Map(before);
  }

  get answer(): string {
    return answerText(this.texts);
  }

  channelOf(artifactId: string): string {
    return this.texts.get(artifactId)?.channel ?? "answer";
  }

  accept(event: SessionEvent): void {
    if (event.type !== "agent_token_start" && event.type !== "agent_token") return;
    const { artifactId } = event;
    const before = this.texts.get(artifactId)?.text ?? "";
    if (event.type === "agent_token")
      this.texts.set(artifactId, { channel: this.channelOf(artifactId), text: before + event.text });
    else this.texts.set(artifactId, { channel: event.channel, text: event.restart ? "" : before });
  }
}

/** The part as a run to follow. */
export function followed({ state, run, after }: RunPart): FollowedRun {
  return { sessionId: state.id, runId: run.id, after };
}

/**
 * The part of a run that answers. A message that an active run received may have come too late for it: only at that
 * run's end is it known whether the next run answers. `undefined`: the signal aborted before.
 */
export async function resolveAnsweringRun(
  sessions: Sessions,
  principal: Principal,
  answering: RunPartRef,
  signal: AbortSignal,
): Promise<RunPart | undefined> {
  const { sessionId, messageId } = answering;
  const taken = await findRunPart(sessions, principal, answering);
  if (!taken) throw new CommandRefusedError("not_found", "There is no such answer");
  if (taken.run.messageId === messageId || answering.part > 0) return taken;
  const events = followRun(sessions, principal, followed(taken), signal);
  while (!(await events.next()).done);
  if (signal.aborted) return undefined;
  const { runs } = await sessions.state(principal, sessionId);
  const own = [...runs.values()].findLast((run) => run.messageId === messageId);
  const runId = own?.id ?? taken.run.id;
  return (await findRunPart(sessions, principal, { sessionId, runId, part: 0 })) ?? taken;
}
