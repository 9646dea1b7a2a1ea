import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Executor } from "@parley/a2a";
import { systemTool } from "@parley/testing/system-tool.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ProofAgent, startProofAgent } from "./testing/proof-agent.ts";

/** The two commands of the first seed's last chapter, letter for letter but for the port. */
const COMMANDS = {
  supervisor: `curl -X POST http://localhost:8000 \\
  -H "Content-Type: application/json" \\
  -H "Accept: text/event-stream" \\
  -d '{"id":"test-1","method":"message/stream","params":{"message":{"role":"user","parts":[{"kind":"text","text":"show argocd version"}],"messageId":"msg-1"}}}'`,
  "sub-agent": `curl -X POST http://localhost:8001 \\
  -H "Content-Type: application/json" \\
  -H "Accept: text/event-stream" \\
  -d '{"id":"test-2","method":"message/stream","params":{"message":{"role":"user","parts":[{"kind":"text","text":"show argocd version"}],"messageId":"msg-2"}}}'`,
};

/** Answers as in the document: a standalone notice, then the answer token by token. */
const executor: Executor = {
  async execute(context) {
    const notice = { name: "tool_notification_start", description: "Tool call started: argocd" };
    await context.artifact(notice).close([{ text: "🔧 Supervisor: Calling Agent Argocd...\n" }]);
    const result = context.artifact({ name: "streaming_result" });
    for (const token of ["Here", " is", " v3.1.8+becb020"]) await result.text(token);
    await result.close();
    return undefined;
  },
};

interface Result {
  readonly kind: string;
  readonly taskId?: string;
  readonly contextId: string;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly final?: boolean;
  readonly status?: { readonly state: string };
  readonly artifact?: {
    readonly artifactId: string;
    readonly name: string;
    readonly parts: readonly { readonly text: string }[];
  };
}

let agent: ProofAgent;
beforeAll(async () => {
  agent = await startProofAgent({ executor, coalesce: false });
});
afterAll(() => agent.stop());

async function run(command: string): Promise<{ id: unknown; jsonrpc: unknown; result: Result }[]> {
  systemTool("curl");
  const { stdout } = await promisify(execFile)("sh", [
    "-c",
    command.replace(/http:\/\/localhost:\d+/, agent.url),
  ]);
  const blocks = stdout.split("\n\n").filter((block) => block !== "");
  return blocks.map((block) => JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "{}"));
}

describe.each(Object.entries(COMMANDS))("the first seed's curl command for the %s", (_, command) => {
  const id = /"id":"([^"]+)"/.exec(command)?.[1];
  const messageId = /"messageId":"([^"]+)"/.exec(command)?.[1];
  let answers: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    answers = await run(command);
  });

  it("is answered as SSE, every envelope as written (S0.2, S0.16)", () => {
    expect(answers.length).toBeGreaterThan(5);
    for (const answer of answers) expect(answer).toMatchObject({ jsonrpc: "2.0", id });
    const kinds = answers.map(({ result }) => result.kind);
    expect(kinds.slice(1).every((kind) => kind === "artifact-update" || kind === "status-update")).toBe(true);
    const [task, ...updates] = answers.map(({ result }) => result);
    for (const { taskId, contextId } of updates) {
      expect([taskId, contextId]).toEqual([(task as unknown as { id: string }).id, task?.contextId]);
    }
  });

  it("gets the task once, submitted, with id, contextId and the full history (S0.5)", () => {
    const tasks = answers.filter(({ result }) => result.kind === "task");
    expect(tasks).toEqual([answers[0]]);
    expect(tasks[0]?.result).toMatchObject({
      id: expect.stringMatching(/./),
      contextId: expect.stringMatching(/./),
      status: { state: "submitted" },
      history: [
        { kind: "message", role: "user", parts: [{ kind: "text", text: "show argocd version" }], messageId },
      ],
    });
  });

  it("gets first chunks with append=false, later ones with true, and standalone artifacts with their own ids (S0.17, S2.10)", () => {
    const pieces = answers.flatMap(({ result }) =>
      result.artifact ? [{ ...result, ...result.artifact }] : [],
    );
    const of = (name: string) => pieces.filter((piece) => piece.name === name);
    expect(of("tool_notification_start").map(({ append }) => append)).toEqual([false]);
    const result = of("streaming_result");
    expect(result.map(({ append }) => append)).toEqual([false, ...result.slice(1).map(() => true)]);
    expect(result.map(({ parts }) => parts[0]?.text).join("")).toBe("Here is v3.1.8+becb020");
    expect(result.at(-1)?.lastChunk).toBe(true);
    expect(new Set(result.map(({ artifactId }) => artifactId)).size).toBe(1);
    expect(new Set(pieces.map(({ artifactId }) => artifactId)).size).toBe(2);
  });

  it("ends with a status-update, final=true, completed", () => {
    expect(answers.at(-1)?.result).toMatchObject({
      kind: "status-update",
      final: true,
      status: { state: "completed" },
    });
    expect(answers.filter(({ result }) => result.final)).toHaveLength(1);
  });
});
