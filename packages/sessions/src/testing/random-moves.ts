import fc from "fast-check";
import type { SessionCommand } from "../domain/session-command.ts";
import type { SessionEvent } from "../domain/session-event.ts";
import { activeRun, type SessionState } from "../domain/session-state.ts";

/** What one step of a random history does, before it is known what there is to do it to. */
export interface Step {
  readonly do: (typeof DOINGS)[number];
  readonly session: number;
  readonly pick: number;
  readonly text: string;
}

/** A command, or what a run brings; it may well be refused. */
export type Move =
  | { readonly sessionId: string; readonly command: SessionCommand }
  | { readonly sessionId: string; readonly runId: string; readonly events: readonly SessionEvent[] };

const DOINGS = [
  ...(["post", "post", "post", "tokens", "tokens", "complete", "complete", "fail", "ask", "answer"] as const),
  ...(["cancel", "edit", "fork", "forkAt", "retry", "rename", "switch", "configure", "tool"] as const),
  ...(["archive", "restore", "delete", "create", "change", "compare", "branch", "adopt"] as const),
];

const words = fc.constantFrom("plan", "Grüße", "日本語", "a", "", "two words", "\ud83d", "nul\0", "😀");

/** Histories of sessions: everything that can be asked for, in any order, wanted or not. */
export const histories = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({ do: fc.constantFrom(...DOINGS), session: fc.nat(50), pick: fc.nat(20), text: words }),
    { maxLength, size: "max" },
  );

/** The step on these sessions; ids are numbered, so that the same history is the same. */
export function moveOf(step: Step, sessions: ReadonlyMap<string, SessionState>, number: string): Move {
  const states = [...sessions.values()];
  const state = states[step.session % Math.max(1, states.length)];
  if (!state || step.do === "create")
    return {
      sessionId: `s${number}`,
      command: { type: "create", owner: "ann", workspace: "w", title: step.text },
    };
  const command = commandOf(step, state, number);
  if (command) return { sessionId: state.id, command };
  // Mostly the run that is under way, sometimes one that has ended: that must change nothing.
  const runs = [...state.runs.keys()];
  const runId =
    (step.pick < 15 ? activeRun(state)?.id : undefined) ?? runs[step.pick % Math.max(1, runs.length)];
  if (runId === undefined) return { sessionId: state.id, command: { type: "rename", title: step.text } };
  return { sessionId: state.id, runId, events: eventsOf(step, runId, number) };
}

function commandOf(
  { do: what, pick, text }: Step,
  state: SessionState,
  number: string,
): SessionCommand | undefined {
  const run = { runId: `r${number}`, agent: "a", agentUrl: "http://agent", contextId: `c${number}` };
  const fork = { childId: `s${number}`, ...(pick % 2 === 0 && { orphan: true }) };
  const any = <Item>(items: readonly Item[]) => items[pick % Math.max(1, items.length)];
  const runId = any([...state.runs.keys()]) ?? "none";
  switch (what) {
    case "post":
      return { type: "postMessage", messageId: `m${number}`, content: text, run };
    case "edit":
      return { type: "edit", messageId: any(state.messages)?.id ?? "none", content: text, fork, run };
    case "fork":
      return { type: "fork", at: { messages: pick % 5 }, fork };
    case "forkAt":
      return { type: "fork", at: { eventIndex: pick }, fork };
    case "branch":
      return { type: "fork", at: "end", fork, ask: { messageId: `m${number}`, content: text, run } };
    case "compare": {
      const branches = ["a", "b"].map((agent) => ({
        fork: { childId: `s${number}${agent}` },
        ask: { messageId: `m${number}`, content: text, run: { ...run, runId: `r${number}${agent}`, agent } },
      }));
      return { type: "compare", branches };
    }
    case "adopt":
      return { type: "postMessage", messageId: `m${number}`, content: text, run, hasBegun: true };
    case "change":
      return { type: "change", title: text, archived: pick % 2 === 0, now: "2026-06-01T00:00:00.000Z" };
    case "retry":
      return { type: "retry", runId, fork, run };
    case "cancel":
      return { type: "cancelRun", runId: activeRun(state)?.id ?? runId };
    case "answer":
      return {
        type: "answerApproval",
        approvalId: any([...state.approvals.keys()]) ?? "none",
        decision: "approved",
      };
    case "rename":
      return { type: "rename", title: text };
    case "switch":
      return { type: "switchAgent", agent: `agent ${pick}` };
    case "configure":
      return { type: "configure", config: { temperature: pick } };
    case "archive":
      return { type: "archive" };
    case "restore":
      return { type: "restore", now: "2026-06-01T00:00:00.000Z" };
    case "delete":
      // Most stay: with all sessions deleted nothing more would happen.
      if (pick % 4 > 0) return { type: "rename", title: text };
      return { type: "delete", until: pick < 15 ? "2026-07-01T00:00:00.000Z" : "2026-05-01T00:00:00.000Z" };
    default:
      return undefined;
  }
}

function eventsOf({ do: what, pick, text }: Step, runId: string, number: string): readonly SessionEvent[] {
  const artifactId = `x${pick % 2}`;
  switch (what) {
    case "complete":
      return [{ type: "agent_complete", runId, state: "completed", content: text, messageId: `m${number}` }];
    case "fail":
      return [{ type: "agent_complete", runId, state: "failed", content: "", reason: "it broke" }];
    case "ask":
      return [{ type: "approval_requested", runId, approvalId: `p${number}`, question: text }];
    case "tool":
      return [
        { type: "agent_tool_call", runId, callId: `t${number}`, tool: "look", arguments: { text } },
        { type: "agent_tool_result", runId, callId: `t${number}`, outcome: "succeeded", text },
      ];
    default:
      return [
        { type: "agent_token_start", runId, artifactId, channel: "answer", restart: pick === 1 },
        { type: "agent_token", runId, artifactId, text },
        { type: "agent_token", runId, artifactId, text: "." },
        { type: "agent_token_end", runId, artifactId },
      ];
  }
}
