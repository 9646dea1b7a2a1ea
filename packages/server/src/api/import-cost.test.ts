import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Journal, openSqliteJournal } from "@parley/journal";
import { Sessions } from "@parley/sessions";
import { longestTurn } from "@parley/testing/cpu-time.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { journalTables } from "../journal-tables.ts";
import { BlobFiles } from "./files/blob-files.ts";
import { SessionImport } from "./session-import.ts";

const MAX_EVENTS = 20_000;
/** Processor time, whatever else the machine does. */
const MAX_TURN_MS = 100;
const ann = { owner: "ann", workspace: "w" };

let folder: string;
let journal: Journal;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-import-"));
  journal = await openSqliteJournal({ folder, projections: journalTables() });
});
afterAll(async () => {
  await journal.close();
  await rm(folder, { recursive: true });
});

type Line = readonly [type: string, payload: object];
const about = { agent: "a", agentUrl: "u", contextId: "c", inputSnapshotHash: "h", messageId: "m" };
const began = (runId: string): Line => ["agent_start", { runId, ...about }];
const ended = (runId: string): Line => [
  "agent_complete",
  { runId, state: "completed", messageId: `answer-${runId}`, content: "So be it, then" },
];

/** What a session may have many of. */
const KINDS: Readonly<Record<string, (at: number) => readonly Line[]>> = {
  messages: (at) => [
    ["user_message", { messageId: `m${at}`, content: `Message ${at} of a long conversation` }],
  ],
  "long messages": (at) => [
    ["user_message", { messageId: `m${at}`, content: `Message ${at} of a long conversation. `.repeat(20) }],
  ],
  approvals: (at) => [
    ["approval_requested", { runId: "r", approvalId: `a${at}`, question: "May I?" }],
    ["approval_answered", { runId: "r", approvalId: `a${at}`, decision: "approved" }],
  ],
  "tool calls": (at) => [
    ["agent_tool_call", { runId: "r", callId: `c${at}`, tool: "look", arguments: { at } }],
    ["agent_tool_result", { runId: "r", callId: `c${at}`, outcome: "succeeded", text: "There" }],
  ],
  artifacts: (at) => [["agent_artifact", { runId: "r", artifactId: `a${at}`, parts: [{ text: "x" }] }]],
  tokens: (at) => [["agent_token", { runId: "r", artifactId: "a", text: `word ${at} ` }]],
  runs: (at) => [began(`r${at}`), ended(`r${at}`)],
};

function linesOf(kind: string, count: number): string {
  const lines: Line[] = [["session_created", { ...ann, title: "Imported" }]];
  if (kind !== "runs") lines.push(began("r"));
  for (let at = 0; lines.length < count - 2; at++) lines.push(...(KINDS[kind]?.(at) ?? []));
  return lines.map(([type, payload]) => JSON.stringify({ type, payload })).join("\n");
}

describe("SessionImport", () => {
  it.each(Object.keys(KINDS))(
    "yields the event loop while it imports the maximum number of %s",
    { timeout: 180_000 },
    async (kind) => {
      const sessions = new Sessions(journal);
      const imports = new SessionImport(sessions, new BlobFiles(journal));
      const adopt = (id: string, lines: string) => imports.adopt(ann, { id, lines });
      await adopt(`warm-${kind}`, linesOf(kind, 1_000));
      const lines = linesOf(kind, MAX_EVENTS);
      expect(await longestTurn(() => adopt(`all-${kind}`, lines))).toBeLessThan(MAX_TURN_MS);
      const open = () => new Sessions(journal).state(ann, `all-${kind}`);
      expect(await longestTurn(open)).toBeLessThan(MAX_TURN_MS);
    },
  );

  it("refuses more than the maximum number of events", async () => {
    const imports = new SessionImport(new Sessions(journal), new BlobFiles(journal));
    const lines = linesOf("messages", MAX_EVENTS + 5);
    await expect(imports.adopt(ann, { id: "more", lines })).rejects.toThrow(/at most 20000 events/);
  });
});
