import { randomBytes } from "node:crypto";
import { eventsAfter, type Journal } from "@parley/journal";
import { RECORD_STREAM } from "../session-streams.ts";

interface RecordBegun {
  readonly type: "record_begun";
  readonly id: string;
}

/** The id of this record, the same on every node and after every restart; undefined if none can be stored now. */
export async function recordIdentity(journal: Journal): Promise<string | undefined> {
  const known = await firstOf(journal);
  if (known !== undefined) return known;
  const begun: RecordBegun = { type: "record_begun", id: randomBytes(9).toString("base64url") };
  try {
    await journal.append(RECORD_STREAM, [begun]);
  } catch {
    // A reader does not care that the disk is full.
    return undefined;
  }
  // Several nodes may write one at the same time: the first counts for all.
  return firstOf(journal);
}

async function firstOf(journal: Journal): Promise<string | undefined> {
  const [first] = await eventsAfter<RecordBegun>(journal, RECORD_STREAM, 0, 1);
  return first?.payload.id;
}
