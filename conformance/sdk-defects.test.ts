import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { type ExecutionContext, type Executor, taskTables } from "@parley/a2a";
import { openMemoryJournal } from "@parley/journal";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { startAgentProcess } from "./testing/agent-process.ts";
import { type ProofAgentOptions, startProofAgent } from "./testing/proof-agent.ts";
import { proofExecutor } from "./testing/proof-executor.ts";
import { collect, joined, type SeenEvent, taskIdIn } from "./testing/seen.ts";
import { slowJournal } from "./testing/slow-journal.ts";
import { SPEAKERS, taskOf, v1Speaker } from "./testing/speakers.ts";

const PROOF_MAIN = fileURLToPath(new URL("testing/proof-main.ts", import.meta.url));

async function startAgent(options: Partial<ProofAgentOptions> = {}) {
  const agent = await startProofAgent({
    executor: proofExecutor,
    coalesce: false,
    ...options,
  });
  onTestFinished(() => agent.stop());
  return agent;
}
const texts = (count: number) => Array.from({ length: count }, (_, n) => `${n} `).join("");

it("D1: a streamed answer costs in proportion to its chunks", async () => {
  const me = v1Speaker.at((await startAgent()).url);
  /** CPU for each chunk of one answer, in µs; agent and reader share this process. */
  const cost = async (count: number) => {
    const before = process.cpuUsage();
    const events = await collect(await me.stream(`pieces ${count}`));
    const { user, system } = process.cpuUsage(before);
    expect(Object.values(joined(events))).toEqual([texts(count)]);
    // The task, working, the pieces, the end of the artifact, completed: no event is sent twice.
    expect(events).toHaveLength(count + 4);
    return (user + system) / count;
  };
  // The best of three, because of garbage collection; quadratic cost would make it eight times as much.
  const least = async (count: number) => Math.min(await cost(count), await cost(count), await cost(count));
  const [small, large] = [await least(1_000), await least(8_000)];
  expect(large / small).toBeLessThan(2.5);
});

it("D2, invariant 7: resubscribing loses nothing when storage takes 2 to 3 ms", async () => {
  const journal = slowJournal(openMemoryJournal({ projections: taskTables }));
  const me = v1Speaker.at((await startAgent({ journal })).url);
  const own = await me.stream("trickle 300");
  const id = (await own.next()).value?.task?.id ?? "";
  const cuts = await Promise.all(
    Array.from({ length: 8 }, async (_, cut) => {
      const before = [];
      let after: string | undefined;
      for await (const event of await me.subscribe(id)) {
        before.push(event);
        after = event.index;
        if (before.length > cut * 20) break;
      }
      return [...before, ...(await collect(await me.subscribe(id, after)))];
    }),
  );
  const whole = await collect(own);
  expect(Object.values(joined(whole))).toEqual([texts(300)]);
  for (const [first, ...later] of cuts) {
    const text =
      (first?.task?.artifacts.join("") ?? "") + later.map(({ artifact }) => artifact?.text ?? "").join("");
    expect(text).toBe(texts(300));
  }
});

it("D3, invariant 8: late executor output never revives an ended task", async () => {
  let late: (() => Promise<void>) | undefined;
  const executor: Executor = {
    async execute(context: ExecutionContext) {
      const result = context.artifact();
      await result.text("in time");
      late = async () => {
        await context.working("still here");
        await result.text("too late");
        await context.artifact().close([{ text: "another" }]);
      };
      return undefined;
    },
  };
  const { url } = await startAgent({ executor });
  for (const speaker of SPEAKERS) {
    const me = speaker.at(url);
    const { id } = taskOf(await me.send("x"));
    await late?.();
    expect(taskOf(await me.get(id))).toMatchObject({ state: "completed", artifacts: ["in time"] });
    const replay = await collect(await me.subscribe(id, "1"));
    expect(replay.at(-1)?.state).toBe("completed");
    expect(Object.values(joined(replay))).toEqual(["in time"]);
  }
});

it.each(SPEAKERS)(
  "D4: a second message to a working task does not affect the first one's stream, in $name",
  async (speaker) => {
    const me = speaker.at((await startAgent()).url);
    const own = await me.stream("hold");
    const id = taskIdIn((await own.next()).value ?? undefined);
    const said = Array.from({ length: 20 }, (_, n) => `said${n}`);
    for (const text of said) await me.send(text, { taskId: id, wait: false });
    const second = await me.stream("go", { taskId: id });
    const [ownEvents, secondEvents] = [await collect(own), await collect(second)];
    expect(ownEvents.at(-1)?.state).toBe("completed");
    // The work may have ended before the second stream began: then that one is the finished task alone.
    const end = secondEvents.at(-1);
    expect(end?.state ?? end?.task?.state).toBe("completed");
    const text = `held ${said.map((it) => `${it} `).join("")}`;
    expect(Object.values(joined(ownEvents))).toEqual([text]);
    expect(taskOf(await me.get(id)).artifacts).toEqual([text]);
  },
);

it("D5, S1.26, invariant 12: a cancel during a stream applies no chunk twice and ends every stream identically", async () => {
  const me = v1Speaker.at((await startAgent()).url);
  const own = await me.stream("pieces 1000000");
  const before = [];
  for (let n = 0; n < 200; n++) before.push((await own.next()).value);
  const id = before[0]?.task?.id ?? "";
  const watching = collect(await me.subscribe(id, "1"));
  const canceled = taskOf(await me.cancel(id));
  const events = [...before.flatMap((event) => event ?? []), ...(await collect(own))];
  const text = Object.values(joined(events)).join("");
  expect(events.at(-1)?.state).toBe("canceled");
  expect(text).toBe(texts(text.split(" ").length - 1));
  expect([canceled.state, canceled.artifacts]).toEqual(["canceled", [text]]);
  expect(taskOf(await me.get(id)).artifacts).toEqual([text]);
  expect((await watching).slice(-50)).toEqual(events.slice(-50));
});

it("D6, invariant 16: stalled readers cost a bounded amount of memory and do not affect an active one", {
  timeout: 180_000,
}, async () => {
  // An unlimited heap grows with garbage on a busy machine; with a limit, retained memory ends the process.
  const agent = await startAgentProcess(await testFolder(), ["--max-old-space-size=256", PROOF_MAIN]);
  onTestFinished(() => agent.kill());
  const me = v1Speaker.at(agent.url);
  // The same load without stalled readers, as the baseline.
  await collect(await me.stream("pieces 30000"));
  const before = agent.residentMb();
  const events = await me.stream("pieces 30000");
  const id = taskIdIn((await events.next()).value ?? undefined);
  // A hundred times 30,000 frames of 280 bytes: 800 MB that are never read.
  for (let n = 0; n < 100; n++) {
    const socket = connect(Number(new URL(agent.url).port), "127.0.0.1").pause();
    onTestFinished(() => void socket.destroy());
    socket.write(
      `GET /a2a/rest/tasks/${id}:subscribe HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 1\r\n\r\n`,
    );
  }
  const seen: SeenEvent[] = [];
  let most = 0;
  for await (const event of events) {
    if (seen.push(event) % 500 === 0) most = Math.max(most, agent.residentMb());
  }
  expect(Object.values(joined(seen))).toEqual([texts(30_000)]);
  expect(taskOf(await me.send("hello")).state).toBe("completed");
  expect(Math.max(most, agent.residentMb()) - before).toBeLessThan(400);
});

describe("a request body", () => {
  const paths = ["/", "/a2a/rest/message:send"];
  const send = (url: string, path: string, text: string) => {
    const message = { messageId: "m", role: "ROLE_USER", parts: [{ text }] };
    const body =
      path === "/" ? { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } } : { message };
    return fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  };

  it.each(paths)("D8: that is 20,000 levels deep is rejected as a client error at %s", async (path) => {
    const { url } = await startAgent();
    for (const deep of [
      "[".repeat(20_000),
      '{"a":'.repeat(20_000),
      `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
    ]) {
      const response = await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: deep,
      });
      const { error } = (await response.json()) as { error: { code: number } };
      expect([response.status, error.code]).toEqual(path === "/" ? [200, -32600] : [400, 400]);
    }
  });

  it.each(paths)(
    "D9: over 1 MB gets a 413 in JSON, and one of 100 KB to 1 MB is accepted, at %s",
    async (path) => {
      const { url } = await startAgent();
      for (const size of [100_001, 500_000, 1_000_000]) {
        const response = await send(url, path, "x".repeat(size));
        expect([
          size,
          response.status,
          JSON.stringify(await response.json()).includes("TASK_STATE_COMPLETED"),
        ]).toEqual([size, 200, true]);
      }
      const response = await send(url, path, "x".repeat(1_048_577));
      expect(response.status).toBe(413);
      expect(response.headers.get("content-type")).toMatch(/json/);
      expect(await response.json()).toHaveProperty("error.code");
    },
  );

  it.each(paths)(
    "D9: of almost 1 MB, too large for an event with the task's ids, is not an internal error at %s",
    async (path) => {
      const { url } = await startAgent();
      const response = await send(url, path, "x".repeat(1_048_300));
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ error: { code: path === "/" ? -32600 : 413 } });
    },
  );
});
