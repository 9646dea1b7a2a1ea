import type { Journal } from "@parley/journal";
import { type AskedAgent, eventIn, type RunFrame } from "./run-frame.ts";
import { framesOf } from "./run-record.ts";
import { RunTransform } from "./transform/run-transform.ts";

/** Where a run stands: all of it comes from its frames, so that whoever takes it over knows the same. */
export class RunMemory {
  readonly transform: RunTransform;
  /** Ids of messages and approvals that have reached the agent. */
  readonly told = new Set<string>();
  /** Who was asked, under which key; undefined: nobody yet, since it last began anew. */
  asked: AskedAgent | undefined;
  /** How often it was begun anew. */
  restarts = 0;
  /** Where the agent's stream goes on after all that was recorded of it; undefined: only its record tells what is missing. */
  cursor: string | undefined;
  /** Whether somebody worked on it before. */
  isKnown = false;
  /** Whether all was done that its end asks for. */
  hasEnded = false;

  constructor(runId: string) {
    this.transform = new RunTransform(runId);
  }

  /** What the frames of a run tell. */
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

  /** Remembers what a frame says beside its event. */
  note(frame: RunFrame): void {
    if ("taken" in frame) this.isKnown = true;
    else if ("ended" in frame) this.hasEnded = true;
    else if ("asked" in frame) this.asked = frame.asked;
    else if ("told" in frame) {
      this.told.add(frame.told);
      if (frame.approvalId === undefined) return;
      // A message that was the answer: the answer itself is told by it.
      this.told.add(frame.approvalId);
      this.transform.answered(frame.approvalId);
    } else if ("restarted" in frame) {
      this.restarts++;
      this.asked = undefined;
      this.cursor = undefined;
    } else {
      // After an older cursor this would come again.
      this.cursor = frame.cursor;
    }
  }
}
