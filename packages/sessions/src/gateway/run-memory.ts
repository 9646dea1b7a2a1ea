import type { Journal } from "@parley/journal";
import { type AskedAgent, eventIn, type RunFrame } from "./run-frame.ts";
import { framesOf } from "./run-record.ts";
import { RunTransform } from "./transform/run-transform.ts";

/** The state of a run, from its frames alone, so that a takeover restores it. */
export class RunMemory {
  readonly transform: RunTransform;
  readonly told = new Set<string>();
  /** The agent that has the message; undefined: none since it last started over. */
  asked: AskedAgent | undefined;
  restarts = 0;
  /** Where the agent's stream resumes; undefined: only the task itself shows what is missing. */
  cursor: string | undefined;
  isKnown = false;
  /** Whether the end was fully handled. */
  hasEnded = false;

  constructor(runId: string) {
    this.transform = new RunTransform(runId);
  }

  static async of(journal: Journal, runId: string): Promise<RunMemory> {
    const memory = new RunMemory(runId);
    for await (const frame of framesOf(journal, runId)) {
      const event = await eventIn(frame, journal.blobs);
      if (event) memory.transform.accept(event, { corrects: "gap" in frame && frame.gap === "replacement" });
      else if ("restarted" in frame) memory.transform.restart();
      memory.note(frame);
    }
    return memory;
  }

  /** Applies what a frame says besides its event. */
  note(frame: RunFrame): void {
    if ("taken" in frame) this.isKnown = true;
    else if ("ended" in frame) this.hasEnded = true;
    else if ("asked" in frame) this.asked = frame.asked;
    else if ("told" in frame) {
      this.told.add(frame.told);
      if (frame.approvalId === undefined) return;
      // A message was the answer: it delivers the answer too.
      this.told.add(frame.approvalId);
      this.transform.answered(frame.approvalId);
    } else if ("restarted" in frame) {
      this.restarts++;
      this.asked = undefined;
      this.cursor = undefined;
    } else {
      // After an older cursor this event would come again.
      this.cursor = frame.cursor;
    }
  }
}
