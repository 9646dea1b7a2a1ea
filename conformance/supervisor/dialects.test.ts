import { expect, it } from "vitest";
import { DIALECT_WRITERS } from "../peers/dialect-writers.ts";
import {
  CAIPE_TOKENS,
  startCaipePeer,
  startLegacySdkPeer,
  startSdkPeer,
  startSlowPeer,
  startTaskPeer,
  startV01Peer,
} from "../peers/index.ts";
import { call, during } from "../peers/testing/peer-client.ts";
import { sseFrames } from "../testing/sse-frames.ts";
import { Scene } from "./testing/scene.ts";

it("the supervisor delegates to agents of every dialect in one answer and forwards their text unchanged (S0.12, S0.15, S3.1, +11)", async () => {
  const peers = {
    caipe: await during(startCaipePeer()),
    first: await during(startV01Peer({ tokens: ["v0.1 ", "says ", "hello"] })),
    legacy: await during(startLegacySdkPeer({ tokens: ["old ", "SDK"], data: { keys: 2 } })),
    modern: await during(startSdkPeer({ tokens: ["new ", "SDK"], data: { keys: 3 } })),
    polled: await during(
      startSlowPeer({ streaming: false, tokens: ["asked ", "again ", "and again"], pause: 5 }),
    ),
  };
  const texts = {
    caipe: CAIPE_TOKENS.join(""),
    first: "v0.1 says hello",
    legacy: "old SDK",
    modern: "new SDK",
    polled: "asked again and again",
  };
  const agents = Object.keys(peers);
  const scene = await Scene.start({
    peers,
    turns: [{ plan: agents.map((agent) => ({ agent })) }, { text: "All five." }],
  });
  const answer = await scene.ask("ask everybody");

  expect(answer.state).toBe("completed");
  for (const [agent, text] of Object.entries(texts)) expect(answer.from(agent)).toBe(text);
  expect(JSON.parse(scene.model.toolResults[1] ?? "")).toEqual({
    steps: Object.entries(texts).map(([agent, text], place) => ({
      ...{ id: `${place + 1}`, agent, state: "completed" },
      result:
        agent === "legacy" ? `${text}\n\n{"keys":2}` : agent === "modern" ? `${text}\n\n{"keys":3}` : text,
    })),
  });
  expect(answer.text("partial_result")).toBe("All five.");
  expect(scene.violations()).toEqual({ supervisor: [], agents: [] });
});

it("the supervisor forwards an agent's progress as its own, without the agent's flags and timestamps (S0.13, S0.16)", async () => {
  // An agent that calls every status the last one, as some do.
  const { event, ...writer } = DIALECT_WRITERS["0.3"];
  const wrong = {
    ...writer,
    event: (...given: Parameters<typeof event>) => ({ ...Object(event(...given)), final: true }),
  };
  const peer = await during(
    startTaskPeer(
      async (task) => {
        task.status("WORKING", "🔧 Calling tool: search");
        await task.text({ artifactId: "result", name: "result" }, ["found ", "it"]);
        task.status("COMPLETED");
      },
      { dialect: "0.3", writer: wrong },
    ),
  );
  const scene = await Scene.start({ peers: { hasty: peer }, turns: [{ plan: [{ agent: "hasty" }] }] });
  const params = { message: { role: "user", parts: [{ kind: "text", text: "go" }], messageId: "m" } };
  const statuses: { final: boolean; status: { timestamp?: string; message?: object } }[] = [];
  for await (const { data } of sseFrames(await call(scene.checker.url, "message/stream", params))) {
    const { result } = data as { result: (typeof statuses)[number] & { kind: string } };
    if (result.kind === "status-update") statuses.push(result);
  }
  expect(JSON.stringify(statuses)).toContain("🔧 Calling tool: search");
  expect(statuses.map(({ final }) => final)).toEqual([...statuses.slice(1).map(() => false), true]);
  expect(statuses.every(({ status }) => status.timestamp !== undefined)).toBe(true);
  expect(scene.violations().supervisor).toEqual([]);
});
