import { setTimeout as sleep } from "node:timers/promises";
import type { PlannedStream } from "../commit-plan.ts";

/** The ways in which Parley can be broken on purpose, to show that whoever tests it would notice. */
export type Break = "deliver-before-commit" | "ignore-epoch" | "rerun-finished-tool";

const BROKEN = process.env.PARLEY_BREAK;
/** Long enough for a crash to come between. */
const COMMIT_LATE_MS = 400;

/** Whether this process is broken in this way: `PARLEY_BREAK`, which nobody sets but such a test. */
export function isBroken(how: Break): boolean {
  return BROKEN === how;
}

type Deliver = (streams: readonly PlannedStream[]) => void;
let deliver: Deliver = () => {};

/** Takes what is to be delivered before its commit, in a process that is broken so. */
export function onEarlyDelivery(listener: Deliver): void {
  deliver = listener;
}

/** Delivers what was planned before it is committed, and lets the commit wait. */
export async function deliverEarly(streams: readonly PlannedStream[]): Promise<void> {
  deliver(streams);
  await sleep(COMMIT_LATE_MS);
}
