import {
  budget,
  delegationChain,
  type ExecutionContext,
  type Message,
  memberIn,
  withMember,
} from "@parley/a2a";
import { describe, expect, it } from "vitest";
import { SupervisorExecutor } from "../supervisor-executor.ts";
import { plan, ScriptedModel } from "../testing/scripted-model.ts";
import { texts } from "../testing/seen.ts";
import { ServedAgent } from "../testing/served-agent.ts";
import { directoryOf, Supervised } from "../testing/supervised.ts";
import { DelegationContext } from "./delegation-context.ts";

/** Remembers what it was handed, and says so. */
function recorder(received: Message[]) {
  return {
    async execute(context: ExecutionContext) {
      received.push(context.message);
      await context.artifact({ name: "current_result" }).close([{ text: "noted" }]);
      return undefined;
    },
  };
}

describe("DelegationContext (+5)", () => {
  it("hands down the remaining time, tokens, depth and fan-out, and the chain so far", async () => {
    const received: Message[] = [];
    const model = new ScriptedModel([{ calls: [plan("p", { id: "1", agent: "scribe" })] }]);
    const supervised = await Supervised.start({
      model,
      agents: [{ name: "scribe", executor: recorder(received) }],
    });
    const given = { timeMs: 60_000, tokens: 5_000, depth: 2, fanOut: 3 };
    await supervised.ask("go", { metadata: withMember(undefined, budget, given) });
    const left = memberIn(received[0]?.metadata, budget).value;
    expect(left).toMatchObject({ depth: 1, fanOut: 3, tokens: 5_000 - 15 });
    expect(left?.timeMs).toBeGreaterThan(0);
    expect(left?.timeMs).toBeLessThan(60_000);
    expect(memberIn(received[0]?.metadata, delegationChain).value?.agents.map(({ name }) => name)).toEqual([
      "supervisor",
    ]);
  });

  it("hands down the message's files that the agent accepts", () => {
    const [table, picture] = [
      { raw: "MSwy", filename: "a.csv", mediaType: "text/csv" },
      { raw: "R0lG", filename: "a.gif", mediaType: "image/gif" },
    ];
    const self = { name: "supervisor", url: "http://127.0.0.1:1" };
    const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "go" }, table, picture] };
    const handed = new DelegationContext(message, self);
    expect(handed.files(["text/plain", "text/csv"])).toEqual([table]);
    expect(handed.files(["*/*"])).toEqual([table, picture]);
    expect(handed.files(["text/plain"])).toEqual([]);
    const large = { ...message, parts: [{ raw: "A".repeat(800_000), mediaType: "text/csv" }] };
    expect(new DelegationContext(large, self).files(["text/csv"])).toEqual([]);
  });

  it("limits the depth, whatever the message claims", () => {
    const metadata = withMember(undefined, budget, { depth: 1_000_000 });
    const message = { messageId: "m", role: "ROLE_USER" as const, parts: [], metadata };
    expect(new DelegationContext(message, { name: "supervisor", url: "http://127.0.0.1:1" }).depth).toBe(10);
  });

  it("allows no delegation when no depth is left: the model has no agents then", async () => {
    const received: Message[] = [];
    const model = new ScriptedModel([
      { calls: [plan("p", { id: "1", agent: "scribe" })] },
      { text: ["I cannot."] },
    ]);
    const supervised = await Supervised.start({
      model,
      agents: [{ name: "scribe", executor: recorder(received) }],
    });
    const events = await supervised.ask("go", { metadata: withMember(undefined, budget, { depth: 0 }) });
    expect(model.requests[0]?.tools).toEqual([]);
    expect(received).toEqual([]);
    expect(texts(events).partial_result).toBe("I cannot.");
  });

  it("limits how many agents work at once", async () => {
    let now = 0;
    let most = 0;
    const both = Promise.withResolvers<void>();
    const busy = {
      async execute() {
        most = Math.max(most, ++now);
        if (now === 2) both.resolve();
        await both.promise;
        await new Promise((resolve) => setTimeout(resolve, 30));
        now--;
        return undefined;
      },
    };
    const steps = ["1", "2", "3", "4", "5"].map((id) => ({ id, agent: "busy" }));
    const model = new ScriptedModel([{ calls: [plan("p", ...steps)] }, { text: ["Done."] }]);
    const supervised = await Supervised.start({ model, agents: [{ name: "busy", executor: busy }] });
    await supervised.ask("go", { metadata: withMember(undefined, budget, { fanOut: 2 }) });
    expect(most).toBe(2);
  });

  it("stops what exceeds the given time, at the sub-agent too", async () => {
    let aborted = false;
    const endless = {
      async execute({ signal }: ExecutionContext) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        aborted = true;
        return undefined;
      },
    };
    const model = new ScriptedModel([
      { calls: [plan("p", { id: "1", agent: "endless" })] },
      { text: ["Too late."] },
    ]);
    const supervised = await Supervised.start({ model, agents: [{ name: "endless", executor: endless }] });
    const events = await supervised.ask("go", { metadata: withMember(undefined, budget, { timeMs: 3_000 }) });
    const last = events.at(-1);
    expect(last && "statusUpdate" in last && last.statusUpdate.status.state).toBe("TASK_STATE_FAILED");
    await expect.poll(() => aborted).toBe(true);
  });
});

describe("a cycle of delegations (+5)", () => {
  it("is refused where it would close, with the chain in the message", async () => {
    const links = new Map<string, string>();
    const outcome = new ScriptedModel((messages, turn) => {
      if (turn === 0) return { calls: [plan("p", { id: "1", agent: "chief" })] };
      return { text: [JSON.stringify(messages.at(-1))] };
    });
    const deputies = new SupervisorExecutor(async () => ({
      self: { name: "deputy", url: links.get("deputy") ?? "" },
      model: outcome,
      instructions: "",
      directory: await directoryOf([{ name: "chief", url: links.get("chief") ?? "" }]),
    }));
    const deputy = await ServedAgent.start({ name: "deputy", executor: deputies });
    links.set("deputy", deputy.url);
    const chiefs = new SupervisorExecutor(async () => ({
      self: { name: "chief", url: links.get("chief") ?? "" },
      model: new ScriptedModel([{ calls: [plan("p", { id: "1", agent: "deputy" })] }]),
      instructions: "",
      directory: await directoryOf([deputy]),
    }));
    const chief = await ServedAgent.start({ name: "chief", executor: chiefs });
    links.set("chief", chief.url);
    const [client] = [await (await directoryOf([chief])).client("chief")];
    const answer = await client.send({
      message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "go round" }] },
    });
    expect(JSON.stringify(answer)).toContain("chief → deputy → chief");
    await Promise.all([chief.stop(), deputy.stop()]);
  });
});
