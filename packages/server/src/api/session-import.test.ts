import { cpuGrowth } from "@parley/testing/cpu-growth.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "./testing/api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start();
});
afterAll(() => api.stop());

type Line = readonly [type: string, payload: object];

const created: Line = ["session_created", { workspace: "w", owner: "o", title: "Imported" }];
const said: Line = ["user_message", { messageId: "m1", content: "Hello" }];
const about = { agent: "supervisor", agentUrl: "http://attacker.test/", contextId: "c", messageId: "m1" };
const began = (runId: string): Line => ["agent_start", { runId, ...about, inputSnapshotHash: "h" }];
const ended = (runId: string): Line => [
  "agent_complete",
  { runId, state: "completed", messageId: `${runId}-answer`, content: "Hi" },
];

function imported(lines: readonly Line[], headers: Record<string, string> = {}) {
  const content = lines.map(([type, payload]) => JSON.stringify({ type, payload })).join("\n");
  return api.ask("POST", "/api/v1/sessions/import", { content }, headers);
}

describe("SessionImport", () => {
  const waiting = { runId: "run_victim", agent: "x", agentUrl: "http://attacker.test/", contextId: "c" };
  const allowedTools = [{ tool: "pay" }];
  const REFUSED: readonly (readonly [string, readonly Line[]])[] = [
    ["line 2: user_message.waiting", [created, ["user_message", { ...said[1], waiting }]]],
    [
      "line 1: session_created.config.allowedTools",
      [["session_created", { ...created[1], config: { allowedTools } }]],
    ],
    [
      "line 2: config_changed.config.allowedTools",
      [created, ["config_changed", { config: { allowedTools } }]],
    ],
    [
      "line 1: session_created.config.fallbacks",
      [["session_created", { ...created[1], config: { fallbacks: ["attacker"] } }]],
    ],
    ["line 2: config_changed.config.ours", [created, ["config_changed", { config: { ours: 1 } }]]],
    [
      "line 2: config_changed.config.budget.unlimited",
      [created, ["config_changed", { config: { budget: { unlimited: true } } }]],
    ],
    [
      "line 2: config_changed.config.budget.tokens",
      [created, ["config_changed", { config: { budget: { tokens: "all" } } }]],
    ],
    [
      "line 2: user_message.editHistory.0.sudo",
      [created, ["user_message", { ...said[1], editHistory: [{ sessionId: "s", messageId: "m", sudo: 1 }] }]],
    ],
    [
      "line 2: agent_message.files",
      [created, ["agent_message", { messageId: "m", content: "", runId: "r", files: [] }]],
    ],
    ["line 2: user_message.sudo", [created, ["user_message", { ...said[1], sudo: true }]]],
    ["line 2: launch_missiles", [created, ["launch_missiles", {}]]],
    ["line 2: session_created", [created, created]],
    ["line 4: agent_start", [created, said, began("r"), began("s")]],
    ["line 5: agent_start", [created, said, began("r"), ended("r"), began("r")]],
    ["line 2: agent_complete", [created, ended("r")]],
  ];

  it.each(REFUSED)("refuses %s by name and records nothing", async (name, lines) => {
    const before = await api.ask("GET", "/api/v1/sessions");
    const { status, json } = await imported(lines);
    expect([status, json.code]).toEqual([422, "invalid"]);
    expect(JSON.stringify(json)).toContain(name);
    expect((await api.ask("GET", "/api/v1/sessions")).json).toEqual(before.json);
  });

  it("leaves no run active, and reuses no existing run id or context id", async () => {
    const { runId } = await api.begun();
    for (const id of [runId, "r".repeat(200)]) {
      const { status, json } = await imported([created, said, began(id)]);
      expect(status).toBe(201);
      const { runs } = (await api.ask("GET", `/api/v1/sessions/${json.session.id}/runs`)).json;
      expect(runs).toMatchObject([{ status: "cancelled" }]);
      expect(runs[0].id.startsWith(`${json.session.id}/`)).toBe(true);
      expect(runs[0].contextId.startsWith(`${json.session.id}/`)).toBe(true);
    }
    expect((await api.sessions.open()).filter((run) => run.runId !== runId)).toEqual([]);
  });

  it("references no other session, whatever forks and edits the file names", async () => {
    const { id: victim } = await api.begun();
    const editHistory = [{ sessionId: victim, messageId: "m0" }];
    const { json } = await imported([
      ...[created, ["user_message", { ...said[1], editHistory }] as const],
      ["fork", { parentId: victim, messages: 1 }],
      ["edit", { messageId: "m1", content: "Hello", childId: victim }],
      ["session_forked", { childId: victim, reason: "branch", messages: 1 }],
    ]);
    const { id } = json.session;
    const { text } = await api.ask("GET", `/api/v1/sessions/${id}/export`);
    expect(text).toContain(`${id}/${victim}`);
    expect(text.replaceAll(`${id}/${victim}`, "")).not.toContain(victim);
  });

  it("has linear cost, and so does opening the session: 3,000 approvals as 300", async () => {
    const asked = (at: number): Line[] => [
      ["approval_requested", { runId: "r", approvalId: `a${at}`, question: "May I?" }],
      ["approval_answered", { runId: "r", approvalId: `a${at}`, decision: "approved" }],
    ];
    const open = async (count: number) => {
      const approvals = Array.from({ length: count }, (_, at) => asked(at)).flat();
      const { json } = await imported([created, said, began("r"), ...approvals, ended("r")]);
      expect((await api.ask("GET", `/api/v1/sessions/${json.session.id}`)).status).toBe(200);
    };
    expect(await cpuGrowth(open, 300, 1)).toBeLessThan(25);
  }, 60_000);

  it("accepts as many files per message as the API allows, each once", async () => {
    const file = { name: "a", mediaType: "text/plain", size: 1, blob: "0".repeat(64) };
    const naming = (blobs: readonly string[]) =>
      imported([created, ["user_message", { ...said[1], files: blobs.map((blob) => ({ ...file, blob })) }]]);
    const many = Array.from({ length: 21 }, (_, at) => String(at).padStart(64, "0"));
    expect((await naming(many)).json).toMatchObject({ status: 413, errors: [{ path: "body.content" }] });
    expect((await naming(Array.from({ length: 100 }, () => file.blob))).status).toBe(201);
  });

  it("imports every export with its safe settings, including forks, edits and answer files", async () => {
    const { id, runId, messageId } = await api.begun();
    const ours = { fallbacks: ["writer"], color: "blue" };
    const config = { allowedTools: [{ tool: "pay" }], budget: { tokens: 9 }, thinking: true, ...ours };
    await api.ask("PATCH", `/api/v1/sessions/${id}`, { config });
    const artifact = { runId, artifactId: "a", parts: [{ text: "x" }] };
    await api.brings(id, runId, [{ type: "agent_artifact", ...artifact }]);
    await api.answers(id, runId, "Hi");
    const fork = (await api.ask("POST", `/api/v1/sessions/${id}/fork`, {})).json.session.id;
    const edit = await api.ask("PUT", `/api/v1/sessions/${id}/messages/${messageId}`, { content: "Hey" });
    for (const session of [id, fork, edit.json.session.id]) {
      const { text: content } = await api.ask("GET", `/api/v1/sessions/${session}/export`);
      const taken = await api.ask("POST", "/api/v1/sessions/import", { content });
      expect([taken.status, taken.text]).toMatchObject([201, expect.anything()]);
      const owner = { owner: "ann", workspace: "default" };
      const state = await api.sessions.state(owner, taken.json.session.id);
      expect(state.config).toEqual({ budget: { tokens: 9 }, thinking: true });
    }
  });
});
