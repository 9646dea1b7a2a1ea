import { type Attributes, createNoopMeter, type ObservableCallback } from "@opentelemetry/api";
import { type Log, logObserver, metricObserver, observedBy } from "@parley/a2a";
import { expect, it } from "vitest";
import { agentAtWork } from "./testing/agent-at-work.ts";

it("an agent's log tells of its start and of its end with chunks and bytes (S2.16)", async () => {
  const lines: [level: string, message: string, fields: Record<string, unknown>][] = [];
  const at = (level: string) => (fields: object, message: string) => {
    lines.push([level, message, fields as Record<string, unknown>]);
  };
  const log: Log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const { agent } = await agentAtWork([{ text: ["Grüß ", "dich."] }], {
    tools: false,
    observer: logObserver(log, "it"),
  });
  const { id: taskId } = await agent.send("go");
  await agent.engine.idle();
  expect(lines).toEqual([
    ["debug", "task started", { agent: "it", taskId, dialect: "1.0", resumed: false }],
    ["info", "artifact created", expect.objectContaining({ taskId, name: "current_result", append: false })],
    [
      "info",
      "task ended",
      expect.objectContaining({ taskId, state: "TASK_STATE_COMPLETED", chunks: 3, bytes: 12 }),
    ],
  ]);
});

it("an agent's log counts the chunks of a long answer at most once a second (S2.16)", async () => {
  const counts: unknown[] = [];
  const silent = () => {};
  const debug = (fields: object, message: string) => {
    if (message === "task streams") counts.push((fields as { chunks: number }).chunks);
  };
  const observer = logObserver({ debug, info: silent, warn: silent, error: silent }, "it");
  const text = Array.from({ length: 3_000 }, (_, n) => `${n} `);
  const { agent } = await agentAtWork([{ text }], { tools: false, observer });
  const began = performance.now();
  await agent.send("go");
  expect(counts.length).toBeLessThanOrEqual((performance.now() - began) / 1_000);
});

it("an agent's metrics count the chunks of all its tasks (S2.17)", async () => {
  const callbacks = new Map<string, ObservableCallback>();
  const silent = createNoopMeter();
  const meter = Object.assign(Object.create(silent), {
    createObservableCounter: (name: string) => ({
      ...silent.createObservableCounter(name),
      addCallback: (callback: ObservableCallback) => void callbacks.set(name, callback),
    }),
  });
  const observer = observedBy(metricObserver(meter, "it"));
  const { agent } = await agentAtWork([{ text: ["a", "b", "c"] }], { tools: false, observer });
  await agent.send("go");
  await agent.send("go");
  const seen: [string, number, Attributes | undefined][] = [];
  for (const [name, callback] of callbacks) {
    await callback({ observe: (value, labels) => void seen.push([name, value, labels]) });
  }
  expect(seen).toContainEqual([expect.stringContaining("chunks"), 8, { agent: "it", dialect: "1.0" }]);
});
