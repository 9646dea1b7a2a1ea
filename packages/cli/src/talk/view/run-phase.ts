import type { RunRecord } from "@parley/client";
import { durationText } from "./duration-text.ts";
import { isDelegation } from "./work.ts";

/** What is known besides the run itself. */
export interface Surroundings {
  readonly now: number;
  /** When anything of the session was last heard. */
  readonly heardAt: number;
  readonly isCancelling: boolean;
}

const STALLED_AFTER_MS = 30_000;

/** What a run under way is about, never just "busy"; with the seconds since it is so. */
export function phaseText(run: RunRecord, { now, heardAt, isCancelling }: Surroundings): string {
  const started = timeOf(run.startedAt) ?? now;
  if (isCancelling) return "Stopping";
  if (run.status === "waiting") return timed("Waiting for you", heardAt, now);
  if (now - heardAt > STALLED_AFTER_MS) return timed("Nothing heard for a while", heardAt, now);
  const open = Object.values(run.texts).filter(({ isOpen }) => isOpen);
  if (open.some(({ channel, text }) => channel === "answer" && text !== "")) return "Writing";
  const under = run.toolCalls.filter(({ outcome }) => outcome === undefined);
  const since = Math.min(...under.map(({ startedAt }) => timeOf(startedAt) ?? started));
  const agents = [...new Set(under.filter(isDelegation).map(({ name }) => name))];
  if (agents.length > 0) return timed(`Waiting for ${agents.join(" and ")}`, since, now);
  const [call] = under;
  if (call) return timed(`Using ${call.name.replaceAll("__", " · ")}`, since, now);
  if (open.some(({ channel }) => channel === "plan")) return timed("Planning", started, now);
  const hasBegun = run.plan !== undefined || run.toolCalls.length > 0 || Object.keys(run.texts).length > 0;
  return timed(hasBegun ? "Thinking" : "Starting", started, now);
}

function timed(words: string, since: number, now: number): string {
  const elapsed = Math.floor((now - since) / 1_000) * 1_000;
  return elapsed >= 1_000 ? `${words} (${durationText(elapsed).replace(".0", "")})` : words;
}

function timeOf(timestamp: string | undefined): number | undefined {
  return timestamp === undefined ? undefined : Date.parse(timestamp);
}
