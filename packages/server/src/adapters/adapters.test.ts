import { openEventStreams } from "@parley/a2a";
import { type Identity, NotAuthenticatedError, type WorkspaceRole } from "@parley/identity";
import { openMemoryJournal } from "@parley/journal";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { OpenStreams } from "../api/events/open-streams.ts";
import { ApiServer } from "../api/testing/api-server.ts";
import { journalTables } from "../journal-tables.ts";
import { ASKED_ADAPTERS, type AskedAdapter, askAt, HungUp, mcpCall } from "./testing/asked-adapters.ts";

const REVOKED = "Your API key was revoked: ask for another";
let server: ApiServer;
let ending = new AbortController();
const draining = new AbortController();
const streams = new OpenStreams(2);
let beforeRun = async () => {};
beforeAll(async () => {
  server = await ApiServer.start(
    {},
    openMemoryJournal({ projections: journalTables() }),
    // Each test has a user of its own, so that it counts its own runs and streams alone.
    {
      ...{ draining: draining.signal, streams },
      ...{ identityOf: identity, beforeRun: () => beforeRun() },
    },
  );
});
afterAll(() => server.stop());
let owner = "";
beforeEach(({ task }) => {
  owner = task.id;
  ending = new AbortController();
});

const principal = () => ({ owner, workspace: "default" });

function identity({ headers }: { headers: Record<string, unknown> }): Identity {
  const role = String(headers["x-test-role"] ?? "owner") as WorkspaceRole;
  return { ...principal(), name: owner, role, ended: ending.signal };
}

const runs = async (): Promise<{ status: string; sessionId: string; id: string }[]> =>
  (await server.ask("GET", "/api/v1/runs")).json.runs;
const states = async () => (await runs()).map(({ status }) => status);
/** A `requestState` that no server wrote. */
const forgedState = (sessionId: string, runId: string, messageId: string) =>
  Buffer.from(JSON.stringify([sessionId, runId, 0, null, messageId])).toString("base64url");
const MCP_ACCEPT = { Accept: "application/json, text/event-stream" };
const CANCEL = { "X-Parley-On-Disconnect": "cancel" };

type Whole = Awaited<ReturnType<HungUp["whole"]>>;
function isRefusal({ rows }: AskedAdapter, { headers, text }: Whole): void {
  expect(headers["content-type"]).toBe(rows.type);
  const told = rows.type === "application/json" ? JSON.parse(text) : text;
  expect(rows.refusal.safeParse(told).error?.issues, text).toBeUndefined();
}

describe.each(ASKED_ADAPTERS)("$name", (adapter) => {
  it("refuses a cross-origin request in the protocol's own format", async () => {
    for (const headers of [{ Origin: "https://evil.example" }, { Host: "evil.example" }]) {
      const refused = await askAt(adapter, server.port, headers).whole();
      expect(refused.status, refused.text).toBe(403);
      isRefusal(adapter, refused);
    }
    expect(await runs()).toEqual([]);
  });

  it("accepts a trailing slash", async () => {
    const asked = askAt({ ...adapter, path: `${adapter.path}/` }, server.port);
    await expect.poll(states).toEqual(["running"]);
    asked.hangUp();
  });

  it("refuses a stream beyond the user's limit before it has any effect", async () => {
    const { id, runId } = await server.begun();
    const held = [1, 2].map(
      () => new HungUp(server.port, "GET", `/v1/responses/resp_${runId}?stream=true`, {}),
    );
    for (const { answer } of held) expect((await answer).statusCode).toBe(200);
    const refused = await askAt(adapter, server.port).whole();
    expect([refused.status, refused.headers["retry-after"]], refused.text).toEqual([429, "5"]);
    isRefusal(adapter, refused);
    expect((await runs()).map(({ sessionId }) => sessionId)).toEqual([id]);
    for (const each of held) each.hangUp();
  });

  it("ends a stream as soon as its reader's key is revoked, and the run continues (S4.2)", async () => {
    const asked = askAt(adapter, server.port, CANCEL);
    await expect.poll(states).toEqual(["running"]);
    if (!adapter.name.endsWith("whole")) await asked.answer;
    ending.abort(new NotAuthenticatedError(REVOKED));
    const { text, status } = await asked.whole();
    expect([status, text]).toEqual(
      adapter.name.endsWith("whole") ? [401, expect.any(String)] : [200, expect.any(String)],
    );
    expect(text).toContain(REVOKED);
    expect(await states()).toEqual(["running"]);
  });

  it("leaves no stream open when a client disconnects before its answer, and cancels the run where the request says so", async () => {
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    beforeRun = () => {
      reached.resolve();
      return gate.promise;
    };
    onTestFinished(() => {
      beforeRun = async () => {};
    });
    const before = await server.connections();
    const asked = askAt(adapter, server.port, CANCEL);
    await reached.promise;
    asked.hangUp();
    await expect.poll(() => server.connections()).toBe(before);
    gate.resolve();
    await expect.poll(states).toEqual(["cancelled"]);
    await expect.poll(openEventStreams).toBe(0);
  });
});

describe("a follower of a run", () => {
  /** Each way to follow a run that another client started. */
  const readers = ({ id, runId }: { id: string; runId: string }, headers: Record<string, string>) => {
    const { body, headers: mcp } = mcpCall("await_answer", { session: id });
    return [
      () => new HungUp(server.port, "GET", `/v1/responses/resp_${runId}?stream=true`, headers),
      () => new HungUp(server.port, "GET", `/ai/${id}/stream`, headers),
      () => new HungUp(server.port, "POST", "/mcp", { ...mcp, ...headers }, body),
    ];
  };

  it("does not cancel the run by disconnecting", async () => {
    const begun = await server.begun();
    for (const role of ["owner", "viewer"])
      for (const read of readers(begun, { "X-Test-Role": role })) {
        const reader = read();
        expect((await reader.answer).statusCode).toBe(200);
        reader.hangUp();
        await expect.poll(openEventStreams).toBe(0);
      }
    expect(await states()).toEqual(["running"]);
  });

  it("cannot cancel the run by disconnecting if it is a viewer (S4.2)", async () => {
    const begun = await server.begun();
    for (const read of readers(begun, { "X-Test-Role": "viewer", ...CANCEL }))
      expect((await read().whole()).status).toBe(403);
    expect(await states()).toEqual(["running"]);
  });

  it.each(["text/event-stream", "application/json"])(
    "cannot cancel the run with a forged MCP state and %s if it is a viewer (S4.2)",
    async (accept) => {
      const { id, runId } = await server.begun();
      const { body, headers } = mcpCall("await_answer", {}, { requestState: forgedState(id, runId, "x") });
      const viewer = { ...headers, Accept: accept, "X-Test-Role": "viewer" };
      const reader = new HungUp(server.port, "POST", "/mcp", viewer, body);
      await expect.poll(() => streams.of(principal())).toBe(1);
      reader.hangUp();
      await expect.poll(() => streams.of(principal())).toBe(0);
      // A cancellation would have been recorded before this answer.
      await server.answers(id, runId, "The answer");
      expect(await states()).toEqual(["completed"]);
    },
  );

  it("records nothing that a forged MCP state says, whatever its role", async () => {
    const { id, runId } = await server.begun();
    await server.answers(id, runId, "The answer");
    const session = Buffer.from(JSON.stringify(["2025-11-25", false, "0".repeat(24)])).toString("base64url");
    const params = { name: "await_answer", requestState: forgedState(id, runId, "x".repeat(1_000)) };
    for (const role of ["viewer", "editor"]) {
      const headers = { ...MCP_ACCEPT, "Mcp-Session-Id": `mcp_${session}`, "X-Test-Role": role };
      const body = { jsonrpc: "2.0", id: role, method: "tools/call", params };
      const { text } = await new HungUp(server.port, "POST", "/mcp", headers, body).whole();
      expect(text).toContain("The answer");
    }
    expect([...(await server.sessions.marks(principal(), id))]).toEqual([]);
  });

  it("records no receipt for the response that it reads if it is a viewer (S4.2)", async () => {
    const read = async ({ id, runId }: { id: string; runId: string }, role: string) => {
      await server.answers(id, runId, "The answer");
      for (const query of ["", "?stream=true"]) {
        const path = `/v1/responses/resp_${runId}${query}`;
        const { text } = await new HungUp(server.port, "GET", path, { "X-Test-Role": role }).whole();
        expect(text).toContain("The answer");
      }
    };
    const marks = async ({ id }: { id: string }) => [...(await server.sessions.marks(principal(), id))];
    const [viewed, edited] = [await server.begun(), await server.begun()];
    await read(viewed, "viewer");
    await read(edited, "editor");
    // Receipts are recorded in order, so the viewer's would be there by now.
    await expect.poll(() => marks(edited)).toEqual([`openai:told:${edited.runId}:0`]);
    expect(await marks(viewed)).toEqual([]);
  });

  it("opens no stream by HEAD", async () => {
    const { id, runId } = await server.begun();
    for (const path of [`/v1/responses/resp_${runId}?stream=true`, `/ai/${id}/stream`]) {
      const { status, headers } = await new HungUp(server.port, "HEAD", path, {}).whole();
      expect([status, headers["content-type"]]).toEqual([200, "text/event-stream"]);
      expect(openEventStreams()).toBe(0);
    }
  });

  it("is disconnected at every adapter when the session is deleted", async () => {
    const begun = await server.begun();
    await server.answers(begun.id, begun.runId, "The answer");
    await server.ask("DELETE", `/api/v1/sessions/${begun.id}`);
    for (const read of readers(begun, {})) expect((await read().whole()).text).not.toContain("The answer");
    const place = Buffer.from(JSON.stringify([begun.id, begun.runId, 0, 0, 1, null])).toString("base64url");
    const headers = { Accept: "text/event-stream", "Last-Event-ID": `call.${place}` };
    expect((await new HungUp(server.port, "GET", "/mcp", headers).whole()).text).not.toContain("The answer");
  });
});

// The last: it cannot be taken back.
it.each(ASKED_ADAPTERS)(
  "$name: a node that is shutting down refuses requests in the protocol's own format, before they have any effect",
  async (adapter) => {
    draining.abort();
    const refused = await askAt(adapter, server.port).whole();
    expect([refused.status, refused.headers["retry-after"]], refused.text).toEqual([503, "1"]);
    isRefusal(adapter, refused);
    expect(await runs()).toEqual([]);
  },
);
