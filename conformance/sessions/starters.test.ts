import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { STARTER_PROMPTS } from "@parley/web/starter-prompts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PlatformProcess, startPlatformProcess } from "../supervisor/testing/platform-process.ts";
import { ApiClient, type ApiEvent } from "./testing/api-client.ts";

interface Forked {
  readonly session: { readonly id: string };
}

interface Settings {
  readonly agents: readonly { name: string; state: string; troubles: readonly string[] }[];
}

let platform: PlatformProcess;
let api: ApiClient;
beforeAll(async () => {
  platform = await startPlatformProcess();
  api = new ApiClient(platform.url);
}, 180_000);
afterAll(() => platform.stop());

/** Sends a starter's prompt in a new session. */
async function start(prompt: string) {
  const id = await api.create();
  return { id, ...(await api.post(id, prompt)) };
}

const answerOf = async (id: string) => (await api.ended(id, 60_000)).messages.at(-1)?.content ?? "";
const toolsIn = (events: readonly ApiEvent[], type: string) =>
  events.filter((event) => event.type === type).map(({ payload }) => payload.tool ?? payload.outcome);

describe("the start page's starters, on the offline model with the shipped agents", {
  timeout: 180_000,
}, () => {
  it("investigate: a plan, two agents working concurrently with their real tools, one answer (S0.9, +6)", async () => {
    const { id } = await start(STARTER_PROMPTS.investigate);
    const answer = await answerOf(id);
    const { events } = await api.read(id);
    const plans = events.filter(({ type }) => type === "agent_plan");
    expect(plans.at(-1)?.payload.steps).toMatchObject([
      { agent: "argocd", state: "completed" },
      { agent: "git", state: "completed" },
    ]);
    // Both calls started before either ended.
    const states = plans.map(({ payload }) => payload.steps.map((step: { state: string }) => step.state));
    expect(states).toContainEqual(["working", "working"]);
    expect(toolsIn(events, "agent_tool_call")).toEqual(
      expect.arrayContaining(["application_service__list", "git__log"]),
    );
    expect(answer).toContain("checkout (shop): OutOfSync");
    expect(answer.match(/^- [0-9a-f]{10} \d{4}-\d\d-\d\d /gm)?.length).toBeGreaterThan(0);
  });

  it("approve: nothing is written before the approval, and exactly what was shown after it (+7, S1.13)", async () => {
    const { id } = await start(STARTER_PROMPTS.approve);
    const { events } = await api.until(
      id,
      (reading) => reading.events.some(({ type }) => type === "approval_requested"),
      60_000,
    );
    const asked = events.find(({ type }) => type === "approval_requested")?.payload;
    const written = join(platform.demoFolder, "order.txt");
    expect([asked.agent, asked.tool, asked.arguments]).toEqual([
      ...["files", "files__write_file"],
      { path: "order.txt", content: "Order 20 blue mugs" },
    ]);
    expect(existsSync(written)).toBe(false);
    await api.call("POST", `/sessions/${id}/approvals/${asked.approvalId}`, { decision: "approved" });
    expect(await answerOf(id)).toContain("Successfully wrote");
    expect(await readFile(written, "utf8")).toBe("Order 20 blue mugs");
  });

  it("edit and fork: the edited question continues in a fork, and the first answer is unchanged (S4.17)", async () => {
    const { id, message } = await start(STARTER_PROMPTS.fork);
    expect(await answerOf(id)).toContain("= 12");
    const edited = { content: STARTER_PROMPTS.fork.replace("15%", "20%") };
    const { session } = await api.call<Forked>("PUT", `/sessions/${id}/messages/${message.id}`, edited);
    expect(session.id).not.toBe(id);
    expect(await answerOf(session.id)).toContain("= 16");
    expect(await answerOf(id)).toContain("= 12");
  });

  it("break it: an agent crashes midway, its step fails, the answer reports it, and the other steps complete; repeatedly (invariant 6)", async () => {
    for (const _ of ["the first time", "when it has been started again"]) {
      const { id } = await start(STARTER_PROMPTS.break);
      const answer = await answerOf(id);
      expect(answer).toContain(
        "fragile died in the middle of its work and came back without its task, so its result is missing.",
      );
      expect(answer).toContain('It had only said: "I have begun, and half of it is done.');
      expect(answer).toContain("v3.1.8+becb020");
      const { events } = await api.read(id);
      const plan = events.findLast(({ type }) => type === "agent_plan");
      expect(plan?.payload.steps).toMatchObject([
        { agent: "fragile", state: "failed" },
        { agent: "argocd", state: "completed" },
      ]);
      const fragile = async () =>
        (await api.call<Settings>("GET", "/settings")).agents.find(({ name }) => name === "fragile");
      await expect.poll(fragile, { timeout: 60_000 }).toMatchObject({ state: "up", troubles: [] });
    }
  });
});
