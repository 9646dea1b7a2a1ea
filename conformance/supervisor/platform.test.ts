import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { A2AClient, memberInPart, planState } from "@parley/a2a";
import { systemTool } from "@parley/testing/system-tool.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startChecker } from "../checker/index.ts";
import { type FixtureName, matchesFixture } from "../fixtures/matches-fixture.ts";
import { startFaultyPeer, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { type PlatformProcess, startPlatformProcess } from "./testing/platform-process.ts";
import { Scene } from "./testing/scene.ts";
import { SeenAnswer } from "./testing/seen-answer.ts";

/** The first seed's command for the supervisor, letter for letter but for the port. */
const CURL = `curl -X POST http://localhost:8000 \\
  -H "Content-Type: application/json" \\
  -H "Accept: text/event-stream" \\
  -d '{"id":"test-1","method":"message/stream","params":{"message":{"role":"user","parts":[{"kind":"text","text":"show argocd version"}],"messageId":"msg-1"}}}'`;

interface Result {
  readonly kind: "task" | "artifact-update" | "status-update";
  readonly append?: boolean;
  readonly final?: boolean;
  readonly lastChunk?: boolean;
  readonly status?: { readonly state: string };
  readonly artifact?: {
    readonly artifactId: string;
    readonly name: string;
    readonly parts: readonly { readonly text?: string; readonly data?: never }[];
  };
}

let platform: PlatformProcess;
beforeAll(async () => {
  platform = await startPlatformProcess();
}, 180_000);
afterAll(() => platform.stop());

/** Says something to the platform's supervisor. */
async function ask(text: string, taskId?: string): Promise<SeenAnswer> {
  const client = await A2AClient.connect(platform.url, { policy: { allowOrigins: [platform.url] } });
  const message = { messageId: crypto.randomUUID(), role: "ROLE_USER" as const, parts: [{ text }] };
  const answer = new SeenAnswer();
  const events = client.stream({ message: { ...message, ...(taskId !== undefined && { taskId }) } });
  for await (const { event } of events) answer.see(event);
  return answer;
}

describe("the first seed's curl command, at the supervisor of the whole platform", () => {
  let results: Result[];
  beforeAll(async () => {
    systemTool("curl");
    const command = CURL.replace("http://localhost:8000", platform.url).replace("curl", "curl -s");
    const { stdout } = await promisify(execFile)("sh", ["-c", command]);
    results = [...stdout.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data).result);
  });
  const named = (name: string) => results.filter(({ artifact }) => artifact?.name === name);
  const textOf = (name: string) =>
    named(name)
      .flatMap(({ artifact }) => artifact?.parts.map(({ text = "" }) => text) ?? [])
      .join("");

  it("passes the six phases in order, down to the tools and back (S0.1, S0.4, S0.15, S0.20)", () => {
    const words = results.map(({ kind, status, artifact }) => artifact?.name ?? `${kind} ${status?.state}`);
    expect(words.filter((word, place) => word !== words[place - 1])).toEqual([
      "task submitted",
      "status-update working",
      "execution_plan_streaming",
      "execution_plan_update",
      "execution_plan_state",
      "tool_notification_start",
      // The sub-agent calls its tool.
      "status-update working",
      "streaming_result",
      "tool_notification_complete",
      "execution_plan_state",
      "streaming_result",
      "partial_result",
      "status-update completed",
    ]);
    expect(textOf("partial_result")).toContain("v3.1.8+becb020");
  });

  it("has every event in the seed's shape, conflicts resolved (S0.5–11, S0.16–17)", () => {
    const wrong = results.flatMap((result, place) => {
      const { name = "" } = result.artifact ?? {};
      const wanted = fixtureOf(result, results.slice(0, place));
      return wanted
        ? matchesFixture(result, wanted).map((difference) => `${place} ${name}: ${difference}`)
        : [];
    });
    expect(wrong).toEqual([]);
    const unmatched = results.filter((result) => fixtureOf(result, []) === undefined);
    expect(new Set(unmatched.map(({ artifact, kind }) => artifact?.name ?? kind))).toEqual(
      new Set(["execution_plan_state", "status-update"]),
    );
  });

  it("streams the plan between ⟦ and ⟧ and then sends it whole, under one id (S0.6, S0.7)", () => {
    const [first, ...later] = named("execution_plan_streaming");
    const [whole, ...more] = named("execution_plan_update");
    expect([first?.append, ...later.map(({ append }) => append)]).toEqual([false, ...later.map(() => true)]);
    expect(textOf("execution_plan_streaming")).toMatch(/^⟦.*⟧$/s);
    expect(textOf("execution_plan_streaming")).toBe(textOf("execution_plan_update"));
    expect([whole?.artifact?.artifactId, more]).toEqual([first?.artifact?.artifactId, []]);
    expect(later.length).toBeGreaterThan(0);
  });

  it("reports the plan's progress as data (+6)", () => {
    const states = named("execution_plan_state").map(({ artifact }) => {
      const [part] = artifact?.parts ?? [];
      return (
        part && memberInPart(part, planState).value?.steps.map(({ agent, state }) => `${agent} ${state}`)
      );
    });
    expect(states.at(0)).toEqual(["argocd pending"]);
    expect(states).toContainEqual(["argocd working"]);
    expect(states.at(-1)).toEqual(["argocd completed"]);
  });

  it("forwards the sub-agent's tokens as the answer, under one id, and repeats it once as a whole (S0.10, S0.11)", () => {
    const pieces = named("streaming_result");
    expect(pieces.map(({ append }) => append)).toEqual([false, ...pieces.slice(1).map(() => true)]);
    expect(new Set(pieces.map(({ artifact }) => artifact?.artifactId)).size).toBe(1);
    expect(named("partial_result")).toHaveLength(1);
    expect(textOf("partial_result")).toBe(textOf("streaming_result"));
  });
});

/** The fixture of an event; undefined: the seed has none like it. */
function fixtureOf(
  { kind, artifact, final, append }: Result,
  before: readonly Result[],
): FixtureName | undefined {
  if (kind === "task") return "task-submitted";
  if (kind === "status-update") return final ? "final-status" : undefined;
  const { name = "", artifactId } = artifact ?? {};
  const isLater = append || before.some((it) => it.artifact?.artifactId === artifactId);
  switch (name) {
    case "execution_plan_streaming":
      return isLater ? "execution-plan-streaming-later" : "execution-plan-streaming-first";
    case "streaming_result":
      return isLater ? "streaming-result-later" : "streaming-result-first";
    case "execution_plan_update":
      return "execution-plan-update";
    case "tool_notification_start":
      return "tool-notification-start";
    case "tool_notification_complete":
      return "tool-notification-complete";
    case "partial_result":
      return "partial-result";
    default:
      return undefined;
  }
}

describe("check git and files simultaneously", () => {
  it("runs both agents concurrently, with no violation at any hop (S0.9, S3.4, S3.7, S3.8)", async () => {
    const names = ["argocd", "calculator", "files", "git"];
    const peers = Object.fromEntries(
      names.map((name, place) => [name, { url: platform.agentUrl(place + 1) }]),
    );
    const scene = await Scene.start({ peers });
    const answer = await scene.ask("check git and files simultaneously");
    expect([answer.state, answer.ended("git")?.outcome, answer.ended("files")?.outcome]).toEqual([
      ...["completed", "succeeded", "succeeded"],
    ]);
    for (const agent of ["git", "files"]) expect(answer.from(agent)).not.toBe("");
    // Both calls start before either ends.
    const starts = answer.phases.lastIndexOf("tool_notification_start");
    expect(answer.phases.indexOf("tool_notification_complete")).toBeGreaterThan(starts);
    expect(answer.text("partial_result")).toBe(answer.text("streaming_result"));
    expect(scene.violations()).toEqual({ supervisor: [], agents: [] });
  });

  it("is answered by the platform itself without a violation, at its own port (S0.1)", async () => {
    const checker = await during(startChecker(platform.url));
    const client = await A2AClient.connect(checker.url, { policy: { allowOrigins: [checker.url] } });
    const message = {
      messageId: "m",
      role: "ROLE_USER" as const,
      parts: [{ text: "check git and files simultaneously" }],
    };
    const answer = new SeenAnswer();
    for await (const { event } of client.stream({ message })) answer.see(event);
    expect([answer.state, answer.plan?.steps.map(({ agent, state }) => [agent, state])]).toEqual([
      "completed",
      [
        ["git", "completed"],
        ["files", "completed"],
      ],
    ]);
    expect(checker.report().violations).toEqual([]);
  });
});

describe("sync the application checkout", () => {
  const differs = async () => (await ask("What differs in checkout?")).text("partial_result") ?? "";
  /** Asks for it, and answers what the agent asks back. */
  const sync = async (reply: string) => {
    const asked = await ask("sync the application checkout");
    expect(asked.state).toBe("input_required");
    expect(asked.says).toContain('May I call application_service__sync with {"name":"checkout"}?');
    return ask(reply, asked.taskId);
  };
  const isSynced = ({ notices }: SeenAnswer) =>
    notices.includes("✅ Tool completed: application_service__sync");

  it("is skipped when denied, and done by the asking agent when approved (S1.13)", async () => {
    const refused = await sync("no");
    expect([refused.state, isSynced(refused)]).toEqual(["completed", false]);
    expect(refused.text("partial_result")).toContain("The user did not allow this call");
    expect(await differs()).toContain("spec.replicas: 2 → 3");
    const agreed = await sync("yes");
    expect([agreed.state, isSynced(agreed)]).toEqual(["completed", true]);
    expect(await differs()).toContain("checkout is what Git asks for");
  });
});

describe("agents.json, changed while the platform runs", () => {
  const list = (agents: Record<string, { url: string }>) =>
    writeFile(join(platform.agentsFolder, "agents.json"), JSON.stringify({ agents }));
  const skills = async () => {
    const response = await fetch(`${platform.url}/.well-known/agent-card.json`);
    const { skills: all } = (await response.json()) as { skills: { id: string; description: string }[] };
    return new Map(all.map(({ id, description }) => [id, description]));
  };

  it("adds and removes an agent for the next turn without a restart (S4.25)", async () => {
    const skill = {
      id: "tides",
      name: "Tides",
      description: "Tells the tides at a harbour",
      tags: ["tides"],
    };
    const peer = await during(
      startSlowPeer({
        name: "tides",
        description: "Knows the tides",
        skills: [skill],
        tokens: ["High ", "water ", "at noon"],
      }),
    );
    await list({ tides: { url: peer.url } });
    await expect.poll(async () => (await skills()).has("tides"), { timeout: 60_000 }).toBe(true);
    const answer = await ask("ask tides: when is high water in the harbour?");
    expect(answer.text("partial_result")).toBe("High water at noon");
    await list({});
    await expect.poll(async () => (await skills()).has("tides"), { timeout: 60_000 }).toBe(false);
  });

  it("keeps memory bounded when an added agent sends 20 MB", async () => {
    const skill = {
      id: "flood",
      name: "Flood",
      description: "Floods whoever asks for a flood",
      tags: ["flood"],
    };
    const peer = await during(startFaultyPeer("20 MB in many events", { name: "flood", skills: [skill] }));
    await list({ flood: { url: peer.url } });
    await expect.poll(async () => (await skills()).has("flood"), { timeout: 60_000 }).toBe(true);
    const before = await platform.residentMb();
    const answer = await ask("ask flood for a flood");
    expect(answer.ended("flood")?.text).toContain("sent more than 8388608 characters");
    // Garbage collection may take a moment.
    await expect
      .poll(async () => (await platform.residentMb()) - before, { timeout: 60_000 })
      .toBeLessThan(250);
    await list({});
  });
});
