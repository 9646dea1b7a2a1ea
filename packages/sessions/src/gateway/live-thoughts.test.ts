import { expect, it } from "vitest";
import { LiveThoughts } from "./live-thoughts.ts";
import { framesOf } from "./run-record.ts";
import { startAgent, startGateway } from "./testing/gateway.ts";

const THOUGHT = "The user seems to be in a hurry";

const thinker = (streaming = true) =>
  startAgent({
    streaming,
    executor: {
      async execute(context) {
        const thinking = context.artifact({ name: "thinking" });
        await thinking.text(THOUGHT);
        await thinking.close();
        await context.artifact({ name: "current_result" }).close([{ text: "At noon" }]);
        return undefined;
      },
    },
  });

it("a thought is shown live, and recorded only where the session or the message asks for it (S2.23)", async () => {
  const agent = await thinker();
  const thoughts = new LiveThoughts();
  const { sessions, journal } = await startGateway({ thoughts });
  let live = "";
  thoughts.follow("s", ({ text }) => {
    live += text;
  });
  const ask = async (thinking?: boolean) => {
    const runId = `r-${crypto.randomUUID()}`;
    const run = { runId, agent: "agent", agentUrl: agent.url, contextId: runId, thinking };
    await sessions.execute("s", { type: "postMessage", messageId: `${runId}-m`, content: "When?", run });
    const { messages } = await sessions.ended("s", runId);
    expect(messages.at(-1)?.content).toBe("At noon");
    const frames = [];
    for await (const frame of framesOf(journal, runId)) frames.push(frame);
    const events = (await sessions.events("s")).filter((event) => "runId" in event && event.runId === runId);
    const has = (record: unknown) => JSON.stringify(record).includes(THOUGHT);
    const shown = live;
    live = "";
    return [has(events), has(frames), shown === THOUGHT];
  };
  await sessions.execute("s", { type: "create", workspace: "w", owner: "ann" });
  expect(await ask()).toEqual([false, false, true]);
  expect(await ask(true)).toEqual([true, true, false]);
  await sessions.execute("s", { type: "configure", config: { thinking: true } });
  expect(await ask()).toEqual([true, true, false]);
  expect(await ask(false)).toEqual([false, false, true]);
});

it("a thought of an agent that is polled is not recorded either (S2.23)", async () => {
  const quiet = await thinker(false);
  const { sessions } = await startGateway();
  await sessions.ended("s1", await sessions.ask("s1", "When?", quiet));
  const record = JSON.stringify(await sessions.events("s1"));
  expect([record.includes("At noon"), record.includes(THOUGHT)]).toEqual([true, false]);
});
