import type { Principal } from "@parley/sessions";
import { expect } from "vitest";
import { OpenStreams } from "../../../api/events/open-streams.ts";
import { ApiServer } from "../../../api/testing/api-server.ts";
import { MemoryAgents } from "../../../api/testing/memory-agents.ts";
import { RawMcp } from "./raw-mcp.ts";

const REVISION = "2025-11-25";
const LONG_NAME = `writer-${"x".repeat(57)}`;

/** What most calls ask. */
export const ASK = { name: "ask_supervisor", arguments: { message: "Hello" } };

/** A call of a tool. */
export function call(id: string | number, params: object = ASK) {
  return { id, method: "tools/call", params };
}

/** Agents that a test can hold back from being listed. */
class HeldAgents extends MemoryAgents {
  asked = Promise.withResolvers<void>();
  told = Promise.withResolvers<void>();

  /** From now on callers of `list` wait until `told` resolves. */
  hold(): void {
    this.asked = Promise.withResolvers();
    this.told = Promise.withResolvers();
  }

  override async list(principal: Principal) {
    this.asked.resolve();
    await this.told.promise;
    return super.list(principal);
  }
}

/** For tests: one server for all of a file, of which each test is another user. */
export class McpGround {
  readonly agents = new HeldAgents();
  server!: ApiServer;
  /** A session of MCP of this test's user, who can be asked. */
  mcp!: RawMcp;
  principal!: Principal;
  /** By which the user of this test is known. */
  owner!: Record<string, string>;
  /** Ends what everybody may read. */
  ending = new AbortController();
  #count = 0;

  async start(): Promise<void> {
    this.agents.told.resolve();
    const nobody = { owner: "", workspace: "" };
    for (const name of ["writer", "critic", LONG_NAME, `${LONG_NAME.slice(0, -1)}y`])
      await this.agents.add(nobody, { name, url: "http://agent.example/" });
    this.server = await ApiServer.start({}, undefined, {
      streams: new OpenStreams(3),
      agents: this.agents,
      identityOf: ({ headers }) => {
        const owner = String(headers["x-test-owner"]);
        return { owner, name: owner, role: "owner", workspace: "default", ended: this.ending.signal };
      },
    });
  }

  async newUser(): Promise<void> {
    this.principal = { owner: `user-${++this.#count}`, workspace: "default" };
    this.owner = { "X-Test-Owner": this.principal.owner };
    this.mcp = await this.client({ elicitation: {} });
  }

  /** Another session of MCP of the same user. */
  async client(capabilities: object = {}): Promise<RawMcp> {
    const client = new RawMcp(this.server);
    client.headers = { ...this.owner };
    await client.greet(REVISION, capabilities);
    return client;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  async runs(): Promise<any[]> {
    return (await this.server.ask("GET", "/api/v1/runs", undefined, this.owner)).json.runs;
  }

  /** The newest of so many runs. */
  async newest(many: number): Promise<{ id: string; runId: string }> {
    await expect.poll(async () => (await this.runs()).length).toBe(many);
    const [{ id: runId, sessionId: id }] = await this.runs();
    return { id, runId };
  }

  /** An agent asks a person. */
  asks(id: string, runId: string, approvalId: string): Promise<void> {
    const asked = { type: "approval_requested", runId, approvalId, question: "May I?" } as const;
    return this.server.brings(id, runId, [{ ...asked, tool: "sync", arguments: {} }]);
  }
}
