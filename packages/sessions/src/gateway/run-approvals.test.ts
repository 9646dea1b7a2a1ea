import {
  approvalAnswer,
  approvalRequest,
  type ExecutionContext,
  type Message,
  memberIn,
  memberPart,
  type Provenance,
  provenance,
  withMember,
} from "@parley/a2a";
import { describe, expect, it } from "vitest";
import { configurationIn } from "../domain/session-configuration.ts";
import { DirectAgents } from "./testing/direct-agents.ts";
import { startAgent, startGateway } from "./testing/gateway.ts";
import type { JournalSessions } from "./testing/journal-sessions.ts";
import { ServedAgent } from "./testing/served-agent.ts";

const TOOL = "application_service__sync";
const request = { id: "call-1", tool: TOOL, arguments: { name: "checkout" }, argumentsHash: "hash" };
const claim = { agent: "argocd", callId: "c1", taskId: "t1", artifactId: "a1", depth: 1 };

/** An agent that asks for approval of the tool before each run, and keeps the answers that it gets. */
function asking(name: string, origin?: Provenance) {
  const answers: Message[] = [];
  const execute = async (context: ExecutionContext) => {
    if ((context.task.history?.length ?? 0) < 2)
      return {
        state: "input-required" as const,
        message: [{ text: "May I?" }, memberPart(approvalRequest, request)],
        ...(origin && { metadata: withMember(undefined, provenance, origin) }),
      };
    answers.push(context.message);
    await context.artifact().close([{ text: `${name} synced` }]);
    return undefined;
  };
  return { name, executor: { execute }, answers };
}

/** The agent and status of the run's question, once it waits or has ended. */
async function question(sessions: JournalSessions, runId: string) {
  const { approvals } = await sessions.until("s1", ({ runs }) => runs.get(runId)?.status !== "running");
  const asked = [...approvals.values()].find((approval) => approval.runId === runId);
  return { id: asked?.id ?? "", agent: asked?.request.agent, answer: asked?.answer?.decision };
}

async function allow(sessions: JournalSessions, runId: string): Promise<unknown> {
  const { id: approvalId } = await question(sessions, runId);
  await sessions.execute("s1", { type: "answerApproval", approvalId, decision: "approved", always: true });
  const { config } = await sessions.ended("s1", runId);
  return configurationIn(config).allowedTools;
}

describe("a tool that an approval allows always (+7)", () => {
  it.each([
    ["claims that another agent asks", claim],
    ["claims no origin", undefined],
  ])("is allowed only to the agent that asked, where it %s", async (_, origin) => {
    const evil = asking("evil", origin);
    const [foreign, argocd] = [await startAgent(evil), await startAgent(asking("argocd"))];
    const supervisor = await startAgent(asking("supervisor", claim));
    const { sessions } = await startGateway({ agents: new DirectAgents([], "supervisor") });
    const runId = await sessions.ask("s1", "Hello", foreign);
    expect(await question(sessions, runId)).toMatchObject({ agent: "evil" });
    expect(await allow(sessions, runId)).toEqual([{ agent: "evil", tool: TOOL }]);
    for (const other of [argocd, supervisor]) {
      const waiting = await sessions.ask("s1", "Sync the application checkout", other);
      expect(await question(sessions, waiting)).toMatchObject({ agent: "argocd", answer: undefined });
      await sessions.execute("s1", { type: "cancelRun", runId: waiting });
    }
    const again = await sessions.ask("s1", "Hello again", foreign);
    await sessions.ended("s1", again);
    expect(await question(sessions, again)).toMatchObject({ agent: "evil", answer: "approved" });
    // The answer names the call that the agent itself named.
    expect(evil.answers.map(({ metadata }) => memberIn(metadata, provenance).value?.callId)).toEqual([
      origin?.callId,
      origin?.callId,
    ]);
    expect(memberIn(evil.answers[0]?.metadata, approvalAnswer).value).toMatchObject({ decision: "approved" });
  });

  it("is allowed to the agent that the supervisor names, whichever way that agent is asked next", async () => {
    const supervisor = await startAgent(asking("supervisor", claim));
    const [argocd, other] = [await startAgent(asking("argocd")), await startAgent(asking("other", claim))];
    const { sessions } = await startGateway({ agents: new DirectAgents([], "supervisor") });
    const runId = await sessions.ask("s1", "Sync", supervisor);
    expect(await question(sessions, runId)).toMatchObject({ agent: "argocd" });
    expect(await allow(sessions, runId)).toEqual([{ agent: "argocd", tool: TOOL }]);
    for (const agent of [supervisor, argocd]) {
      const allowed = await sessions.ask("s1", "Sync again", agent);
      await sessions.ended("s1", allowed);
      expect(await question(sessions, allowed)).toMatchObject({ agent: "argocd", answer: "approved" });
    }
    const waiting = await sessions.ask("s1", "Sync", other);
    expect(await question(sessions, waiting)).toMatchObject({ agent: "other", answer: undefined });
  });

  it("is allowed to the agent that stands in, and not to the one that it stands in for", async () => {
    const other = await startAgent(asking("other", claim));
    const gone = await ServedAgent.start(asking("argocd"));
    await gone.stop();
    const others = [{ agent: "other", agentUrl: other.url }];
    const { sessions } = await startGateway({ others, limits: { patienceMs: 300 } });
    const runId = await sessions.ask("s1", "Sync", gone);
    expect(await allow(sessions, runId)).toEqual([{ agent: "other", tool: TOOL }]);
    const back = await startAgent({ ...asking("argocd"), port: gone.port });
    expect(await question(sessions, await sessions.ask("s1", "Sync", back))).toMatchObject({
      agent: "argocd",
      answer: undefined,
    });
  });
});
