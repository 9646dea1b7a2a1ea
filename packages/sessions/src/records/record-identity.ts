import { randomBytes } from "node:crypto";
import { eventsAfter, type Journal } from "@parley/journal";
import { RECORD_STREAM } from "../session-streams.ts";

interface RecordBegun {
  readonly type: "record_begun";
  readonly id: string;
}

/**
 * Tells this record from any other that is ever set up in its place; the same on every node and after every restart.
 * Undefined: it has none yet, and none can be stored now.
 */
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
  // Nodes may begin at the same time: the first of them counts for all.
  return firstOf(journal);
}

async function firstOf(journal: Journal): Promise<string | undefined> {
  const [first] = await eventsAfter<RecordBegun>(journal, RECORD_STREAM, 0, 1);
  return first?.payload.id;
}
