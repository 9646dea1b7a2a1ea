import {
  type Approval,
  isEnded,
  type Principal,
  type Run,
  type SessionEvent,
  type SessionState,
  type Sessions,
} from "@parley/sessions";
import type { FollowedRun } from "../../followed-run.ts";
import { eventsSinceBeginning } from "../../run-beginning.ts";
import { questionsOf } from "../asking/asked-again.ts";
import type { Answering } from "../asking/asking.ts";

/** A part of a run, between two questions that a person is asked, as far as it has come. */
export interface PartOfRun {
  readonly state: SessionState;
  readonly run: Run;
  /** So many questions came before. */
  readonly part: number;
  /** All of it comes after so many events. */
  readonly after: number;
  /** When the run began, in seconds since 1970. */
  readonly createdAt: number;
  /** The answer's text before it. */
  readonly base: string;
  /** The texts that were begun before it: what is the answer, and what is not. */
  readonly channels: ReadonlyMap<string, string>;
  /** What the run has said until now, or until the question that it waits at. */
  readonly texts: Run["texts"];
}

/** Finds the beginning of a part of a run; undefined: there is no such part. */
export async function partOfRun(
  sessions: Sessions,
  principal: Principal,
  { sessionId, runId, part }: Pick<Answering, "sessionId" | "runId" | "part">,
): Promise<PartOfRun | undefined> {
  const state = await sessions.state(principal, sessionId);
  const run = state.runs.get(runId);
  const question = questionsOf(state, runId)[part - 1];
  if (!run || (part > 0 && !question?.answer && !isEnded(run))) return undefined;
  const waitsAt = run.status === "waiting" ? questionsOf(state, runId).slice(part).find(isOpen) : undefined;
  const fold = new TextsOfRun();
  let found: Omit<PartOfRun, "texts"> | undefined;
  let createdAt = 0;
  for await (const page of eventsSinceBeginning(sessions, principal, state, runId)) {
    for (const { index, at, event } of page) {
      if (!("runId" in event) || event.runId !== runId) continue;
      if (event.type === "agent_start") createdAt = Math.floor(at / 1_000);
      const asked = event.type === "approval_requested" ? event.approvalId : undefined;
      if (part === 0 ? event.type === "agent_start" : asked === question?.id && asked !== undefined) {
        const { answer: base, channels } = fold;
        found = { state, run, part, after: index, createdAt, base, channels };
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

/** What a run has said, text by text. */
class TextsOfRun {
  readonly texts = new Map<string, { channel: string; text: string }>();

  get answer(): string {
    const answers = [...this.texts.values()].filter(({ channel }) => channel === "answer");
    return answers.map(({ text }) => text).join("");
  }

  get channels(): ReadonlyMap<string, string> {
    return new Map([...this.texts].map(([id, { channel }]) => [id, channel]));
  }

  accept(event: SessionEvent): void {
    if (event.type !== "agent_token_start" && event.type !== "agent_token") return;
    const before = this.texts.get(event.artifactId);
    const said = before?.text ?? "";
    if (event.type === "agent_token")
      this.texts.set(event.artifactId, { channel: before?.channel ?? "answer", text: said + event.text });
    else this.texts.set(event.artifactId, { channel: event.channel, text: event.restart ? "" : said });
  }
}

/** As it is followed. */
export function followed({ state, run, after }: PartOfRun): FollowedRun {
  return { sessionId: state.id, runId: run.id, after };
}
