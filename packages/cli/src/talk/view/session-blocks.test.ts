import { type DomainEvent, emptyRecord, evolveRecord, type SessionRecord } from "@parley/client";
import { describe, expect, it } from "vitest";
import { lineText } from "../../terminal/line.ts";
import { recordedConversation, sessionBlocks } from "./session-blocks.ts";
import { Transcript } from "./transcript.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const run = { runId: "run_1" };

/** A record of what happened, a second each. */
function recordOf(...events: readonly { readonly type: string; readonly payload: object }[]): SessionRecord {
  return events.reduce(
    (record, event, at) =>
      evolveRecord(record, {
        ...{ ...event, id: `e${at}`, sessionId: "ses_1", index: at + 1 },
        timestamp: new Date(START + at * 1_000).toISOString(),
      } as unknown as DomainEvent),
    emptyRecord("ses_1"),
  );
}

function shown(record: SessionRecord, now = START + 60_000, width = 70) {
  const { settled, live } = new Transcript().advance(sessionBlocks(recordedConversation(record), now), width);
  return { settled: settled.map(lineText), live: live.map(lineText) };
}

const asked = [
  { type: "session_created", payload: { title: "" } },
  { type: "user_message", payload: { messageId: "m1", content: "Do two things" } },
  {
    type: "agent_start",
    payload: { ...run, agent: "supervisor", agentUrl: "", contextId: "c", messageId: "m1" },
  },
];
const step = (id: string, agent: string, state: string) => ({
  id,
  title: `Step ${id}`,
  agent,
  dependencies: [],
  state,
});
const plan = (...states: readonly string[]) => ({
  type: "agent_plan",
  payload: { ...run, steps: [step("1", "git", states[0] ?? ""), step("2", "files", states[1] ?? "")] },
});
const call = (agent: string, tool = agent, more: object = {}) => ({
  type: "agent_tool_call",
  payload: {
    ...run,
    callId: `${agent}-${tool}`,
    tool,
    agent,
    arguments: { request: `ask ${agent}` },
    ...more,
  },
});
const result = (agent: string, outcome: string, tool = agent, more: object = {}) => ({
  type: "agent_tool_result",
  payload: { ...run, callId: `${agent}-${tool}`, agent, outcome, durationMs: 1_400, ...more },
});
const inGit = { parentCallId: "git-git" };

describe("a session on a terminal", () => {
  it("shows the current plan, who does what, and whom it waits for", () => {
    const record = recordOf(
      ...[...asked, plan("working", "pending"), call("git"), call("git", "git__log", inGit)],
      result("git", "succeeded", "git__log", inGit),
    );
    expect(shown(record, START + 18_000)).toEqual({
      settled: ["› Do two things"],
      live: [
        ...["Plan", "  ▸ Step 1  git", "  ☐ Step 2  files"],
        ...["… asked git ask git 14 s", "  ✓ used git · log ask git 1.4 s", "… Waiting for git (14 s)"],
      ],
    });
  });

  it("shows what was done in order when it is over", () => {
    const record = recordOf(
      ...[...asked, plan("completed", "failed"), call("git"), result("git", "succeeded")],
      ...[call("files"), result("files", "failed")],
      {
        type: "agent_complete",
        payload: { ...run, state: "completed", messageId: "a1", content: "**Done.**" },
      },
    );
    expect(shown(record)).toEqual({
      settled: [
        ...["› Do two things", "Plan", "  ✓ Step 1  git", "  ✗ Step 2  files"],
        ...["✓ asked git ask git 1.4 s", "✗ asked files ask files 1.4 s", "", "Done."],
        ...["✓ Done 6.0 s · 2 agents", ""],
      ],
      live: [],
    });
  });

  it.each([
    [[], 3, "… Starting (1 s)"],
    [
      [{ type: "agent_token_start", payload: { ...run, artifactId: "p", channel: "plan" } }],
      4,
      "… Planning (2 s)",
    ],
    [[call("calculator", "evaluate")], 6, "… Using evaluate (3 s)"],
    [[plan("working", "working"), call("git"), call("files")], 20, "… Waiting for git and files (16 s)"],
    [[], 60, "… No activity for a while (58 s)"],
  ])("shows its actual state: %#", (events, seconds, words) => {
    expect(shown(recordOf(...asked, ...events), START + seconds * 1_000).live.at(-1)).toBe(words);
  });

  it("shows the exact arguments to approve, with nothing hidden in them", () => {
    const given = { path: "a\u202eb", text: "\u001b[2J" };
    const record = recordOf(...asked, {
      type: "approval_requested",
      payload: {
        ...run,
        approvalId: "p1",
        question: "May I?",
        agent: "files",
        tool: "files__write",
        arguments: given,
      },
    });
    expect(shown(record).live).toEqual([
      ...["? files: May I?", "  files · write", "  {", String.raw`    "path": "a\u202eb",`],
      ...[String.raw`    "text": "\u001b[2J"`, "  }", "… Waiting for you (57 s)"],
    ]);
  });

  it.each([
    [{ decision: "denied", text: "not today" }, "✗ denied files · write {}: not today"],
    [{ decision: "approved" }, "✓ approved files · write {}"],
    [{ decision: "approved", arguments: { a: 1 } }, '✓ approved files · write {} with {"a":1}'],
    [{ decision: "approved", always: true }, "✓ always allowed files · write {}"],
  ])("shows the given answer: %j", (answer, words) => {
    const approval = { ...run, approvalId: "p1", question: "May I?", tool: "files__write", arguments: {} };
    const record = recordOf(
      ...asked,
      { type: "approval_requested", payload: approval },
      { type: "approval_answered", payload: { ...run, approvalId: "p1", ...answer } },
    );
    expect(shown(record).settled).toContain(words);
  });

  it("shows why a run failed or was stopped, and what is unknown", () => {
    const failed = recordOf(...asked, call("git"), {
      type: "agent_complete",
      payload: { ...run, state: "failed", content: "", reason: "no key" },
    });
    expect(shown(failed).settled).toEqual(
      expect.arrayContaining(["? asked git ask git", "✗ Failed: no key 2.0 s · 1 agent"]),
    );
    const stopped = recordOf(...asked, {
      type: "agent_cancelled",
      payload: { ...run, content: "", reason: "You" },
    });
    expect(shown(stopped).settled).toContain("■ Stopped: You 1.0 s");
  });

  it("fits every width", () => {
    const record = recordOf(...asked, plan("working", "pending"), call("git"));
    for (let width = 10; width < 90; width += 7)
      expect(shown(record, START, width).live.length).toBeGreaterThan(3);
  });
});
