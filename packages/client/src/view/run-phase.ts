import type { RunRecord } from "../sync/session-record.ts";
import { isDelegation } from "./work.ts";

/** What a run is doing now; times are in milliseconds since 1970. */
export type RunPhase =
  | { readonly name: "starting" | "planning" | "thinking" | "writing" | "stopping"; readonly since: number }
  | { readonly name: "agents"; readonly agents: readonly string[]; readonly since: number }
  | { readonly name: "tool"; readonly tool: string; readonly since: number }
  /** A person is asked. */
  | { readonly name: "you"; readonly since: number }
  /** It runs, but nothing was heard for long. */
  | { readonly name: "stalled"; readonly since: number }
  | { readonly name: "completed"; readonly durationMs: number | undefined }
  | { readonly name: "failed" | "cancelled" | "interrupted"; readonly reason: string };

/** What is known besides the run itself. */
export interface Surroundings {
  readonly now: number;
  /** When anything of the session was last heard. */
  readonly heardAt: number;
  readonly isCancelling: boolean;
}

const STALLED_AFTER_MS = 30_000;

/** The phase of a run. */
export function phaseOf(run: RunRecord, { now, heardAt, isCancelling }: Surroundings): RunPhase {
  const started = timeOf(run.startedAt) ?? now;
  switch (run.status) {
    case "completed": {
      const ended = timeOf(run.completedAt);
      return { name: "completed", durationMs: ended === undefined ? undefined : ended - started };
    }
    case "failed":
      return {
        name: /^interrupted/i.test(run.reason ?? "") ? "interrupted" : "failed",
        reason: run.reason ?? "",
      };
    case "cancelled":
      return { name: "cancelled", reason: run.reason ?? "" };
    case "waiting":
      return { name: isCancelling ? "stopping" : "you", since: heardAt };
    case "running":
      if (isCancelling) return { name: "stopping", since: started };
      if (now - heardAt > STALLED_AFTER_MS) return { name: "stalled", since: heardAt };
      return workingPhase(run, started);
  }
}

function workingPhase({ texts, toolCalls, plan }: RunRecord, started: number): RunPhase {
  const open = Object.values(texts).filter(({ isOpen }) => isOpen);
  if (open.some(({ channel, text }) => channel === "answer" && text !== ""))
    return { name: "writing", since: started };
  const under = toolCalls.filter(({ outcome }) => outcome === undefined);
  const asked = under.filter(isDelegation);
  const since = Math.min(...under.map(({ startedAt }) => timeOf(startedAt) ?? started));
  if (asked.length > 0) return { name: "agents", agents: [...new Set(asked.map(({ name }) => name))], since };
  const [call] = under;
  if (call) return { name: "tool", tool: call.name, since };
  if (open.some(({ channel }) => channel === "plan")) return { name: "planning", since: started };
  const hasBegun = plan !== undefined || toolCalls.length > 0 || Object.keys(texts).length > 0;
  return { name: hasBegun ? "thinking" : "starting", since: started };
}

function timeOf(timestamp: string | undefined): number | undefined {
  return timestamp === undefined ? undefined : Date.parse(timestamp);
}
