import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ApiClient } from "@parley/client";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, vi } from "vitest";
import { agentFile, agentsFolder } from "../testing/agent-files.ts";
import { ServerProcess } from "../testing/server-process.ts";
import { attributeOf, TraceCollector } from "./testing/trace-collector.ts";

vi.setConfig({ testTimeout: 180_000 });

const TOOL = resolve(import.meta.dirname, "../../../agent/src/mcp/testing/traced-program.ts");
const QUESTION = "How is the lighthouse doing?";

async function platform(collector: TraceCollector, environment: Record<string, string>, waits = "") {
  const agents = await agentsFolder(
    { "keeper.md": agentFile("Tells how the lighthouse is doing.", "mcpServers: [traced]") },
    { traced: { command: "node", args: [TOOL, waits] } },
  );
  const start = async () => {
    const server = new ServerProcess({
      ...{ PARLEY_AGENTS: agents, PARLEY_MODEL: "offline", PARLEY_LOG: "error" },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...environment },
    });
    await server.agentUrl("keeper");
    return { server, api: new ApiClient({ baseUrl: await server.url() }) };
  };
  return start;
}

async function answered(api: ApiClient, sessionId: string): Promise<string> {
  const events = async () => (await api.readSession(sessionId)).events;
  const last = async () => (await events()).findLast(({ type }) => type === "agent_complete");
  await expect.poll(last, { timeout: 60_000 }).toBeDefined();
  return JSON.stringify(await events());
}

describe("a trace (S4.30)", () => {
  it("spans from the sender to the tool, over A2A and MCP, without message content", async () => {
    const collector = await TraceCollector.start();
    const start = await platform(collector, { PARLEY_DATA: await testFolder() });
    const { server, api } = await start();
    const { session } = await api.createSession({});
    await api.postMessage(session.id, { content: QUESTION });
    const events = await answered(api, session.id);
    await server.end();

    const request = await collector.span("POST /api/v1/sessions/:id/messages");
    const run = await collector.span("invoke_agent supervisor", request.spanId);
    const supervisor = await collector.span("invoke_agent supervisor", run.spanId);
    const call = await collector.span("execute_tool carry_out_plan", supervisor.spanId);
    const delegation = await collector.span("invoke_agent keeper", call.spanId);
    const agent = await collector.span("invoke_agent keeper", delegation.spanId);
    const turn = await collector.span("chat parley", agent.spanId);
    const tool = await collector.span("execute_tool traced__lighthouse", agent.spanId);
    // The sender's span, which is not exported.
    expect(request.parentSpanId).toMatch(/^[0-9a-f]{16}$/);
    const chain = [request, run, supervisor, call, delegation, agent, turn, tool];
    expect(new Set(chain.map(({ traceId }) => traceId)).size).toBe(1);
    expect(chain.map(({ kind }) => kind)).toEqual([2, 3, 1, 1, 3, 1, 3, 1]);
    expect(events).toContain(`The lighthouse saw 00-${tool.traceId}-${tool.spanId}-01.`);
    expect(attributeOf(run, "gen_ai.conversation.id")).toBe(session.id);
    expect(chain.map((span) => attributeOf(span, "gen_ai.operation.name"))).toEqual([
      ...[undefined, "invoke_agent", "invoke_agent", "execute_tool"],
      ...["invoke_agent", "invoke_agent", "chat", "execute_tool"],
    ]);
    expect(attributeOf(turn, "gen_ai.usage.output_tokens")).toBeDefined();
    // So many spans, however many tokens.
    expect(collector.spans.length).toBeLessThan(20);
    expect(collector.bodies).not.toMatch(/How is the|saw/);
  });

  it("continues in the process that takes over (+12), and includes message content if enabled", async () => {
    const collector = await TraceCollector.start();
    const [data, waits] = [await testFolder(), await testFolder()];
    const start = await platform(collector, { PARLEY_DATA: data, PARLEY_TRACE_CONTENT: "on" }, waits);
    const first = await start();
    const { session } = await first.api.createSession({});
    await first.api.postMessage(session.id, { content: QUESTION });
    const request = await collector.span("POST /api/v1/sessions/:id/messages");
    await expect.poll(() => existsSync(join(waits, "called")), { timeout: 60_000 }).toBe(true);
    await first.server.end("SIGKILL");
    await writeFile(join(waits, "go"), "");

    const second = await start();
    const events = await answered(second.api, session.id);
    await second.server.end();
    const run = await collector.span("invoke_agent supervisor", request.spanId);
    const tool = await collector.span("execute_tool traced__lighthouse");
    expect([attributeOf(run, "parley.resumed"), attributeOf(run, "gen_ai.agent.name")]).toEqual([
      true,
      "supervisor",
    ]);
    expect([run.traceId, tool.traceId]).toEqual([request.traceId, request.traceId]);
    expect(events).toContain(`The lighthouse saw 00-${tool.traceId}-${tool.spanId}-01.`);
    expect(attributeOf(tool, "gen_ai.tool.call.result")).toContain("The lighthouse saw");
  });
});
