import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { expect, inject, it, onTestFinished } from "vitest";
import { ApiServer } from "../../api/testing/api-server.ts";
import { journalTables } from "../../journal-tables.ts";
import { approvalRequestId } from "./approval-request-id.ts";
import { RawMcp } from "./testing/raw-mcp.ts";

/** Two nodes on one Postgres, each with its own journal, and a client that knows both. */
async function startNodes() {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  const node = async () => {
    const server = await ApiServer.start(
      {},
      await openPostgresJournal({ url, projections: journalTables() }),
    );
    onTestFinished(() => server.stop());
    return server;
  };
  const [first, second] = [await node(), await node()];
  const [here, there] = [new RawMcp(first), new RawMcp(second)];
  await here.greet("2025-11-25", { elicitation: { form: {} } });
  there.headers = here.headers;
  return { first, second, here, there };
}

async function newestRun(server: ApiServer, count: number): Promise<{ id: string; runId: string }> {
  const found = async () => (await server.ask("GET", "/api/v1/runs")).json.runs;
  await expect.poll(async () => (await found()).length, { timeout: 20_000 }).toBe(count);
  const [{ id: runId, sessionId: id }] = await found();
  return { id, runId };
}

const call = (id: number, message: string) => ({
  ...{
    id,
    method: "tools/call",
    params: { name: "ask_supervisor", arguments: { message }, _meta: { progressToken: id } },
  },
});

it("any node takes an answer, goes on with a stream, repeats a call and cancels one that another node follows", {
  timeout: 60_000,
}, async () => {
  const { first, second, here, there } = await startNodes();
  const asked = here.post(call(1, "Hello"));
  const { id, runId } = await newestRun(second, 1);
  const approvalId = "apr_1";
  await second.brings(id, runId, [
    { type: "agent_token_start", runId, artifactId: "a", channel: "answer" },
    { type: "agent_token", runId, artifactId: "a", text: "Let me see" },
    { type: "approval_requested", runId, approvalId, question: "May I?", tool: "sync", arguments: {} },
  ]);
  const said = { action: "accept", content: { decision: "approve" } };
  const answer = await there.post({ id: approvalRequestId(id, approvalId), result: said });
  expect([answer.status, answer.text]).toEqual([202, ""]);
  await second.answers(id, runId, "Done");
  const { messages } = await asked;
  expect(messages.map(({ method }) => method ?? "-")).toEqual([
    ...["-", "notifications/progress", "elicitation/create", "notifications/progress", "-"],
  ]);
  expect(messages.at(-1)?.result.structuredContent).toMatchObject({
    answer: "Done",
    session: id,
    run: runId,
  });
  const same = { answer: "Done", session: id, run: runId, state: "completed" };
  for (const { eventId = "" } of messages.slice(0, -1)) {
    const rest = await there.ask("GET", { "Last-Event-ID": eventId });
    // What was answered meanwhile is asked of nobody again.
    expect(rest.messages.map(({ method }) => method)).not.toContain("elicitation/create");
    expect(rest.messages.at(-1)).toMatchObject({ id: 1, result: { structuredContent: same } });
  }
  expect((await there.post(call(1, "Hello"))).messages.at(-1)?.result.structuredContent).toMatchObject(same);
  const other = here.post(call(2, "And you?"));
  const running = await newestRun(first, 2);
  const params = { requestId: 2, reason: "enough" };
  expect((await there.post({ method: "notifications/cancelled", params })).status).toBe(202);
  const cancelled = (await other).messages.at(-1)?.result;
  expect(cancelled).toMatchObject({
    isError: true,
    structuredContent: { run: running.runId, state: "cancelled" },
  });
  expect(cancelled.structuredContent.reason).toBe("enough");
});
