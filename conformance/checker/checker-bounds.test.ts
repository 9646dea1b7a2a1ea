import { ArtifactTexts, StreamCheck } from "@parley/a2a/checks";
import { cpuTime } from "@parley/testing/cpu-time.ts";
import { describe, expect, it } from "vitest";
import { startScriptedPeer } from "../peers/index.ts";
import { call, during } from "../peers/testing/peer-client.ts";
import { startChecker } from "./index.ts";
import { message } from "./testing/checked-stream.ts";
import { piece03 } from "./testing/older-events.ts";

describe("the checker's cost", () => {
  const frame = (text: string, append: boolean) =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, result: piece03(text, append).event });

  /** Milliseconds for a stream of so many events. */
  function timeFor(count: number): number {
    const check = new StreamCheck({
      request: "",
      isResumed: false,
      tasks: new Map(),
      report: () => undefined,
    });
    const start = cpuTime();
    for (let place = 0; place < count; place++)
      check.see({ id: `${place + 1}`, data: frame("x", place > 0) }, place);
    expect(check.report()).toMatchObject({ events: count, texts: { a: "x".repeat(count) } });
    return cpuTime() - start;
  }

  it("grows linearly with the number of events", () => {
    timeFor(25_000);
    const few = Math.min(timeFor(25_000), timeFor(25_000), timeFor(25_000));
    // Four times the events is four times the work, or sixteen times if it were quadratic.
    expect(Math.min(timeFor(100_000), timeFor(100_000), timeFor(100_000)) / few).toBeLessThan(10);
  });

  it("stays bounded for any number of events and violations", async () => {
    const frames = (event: unknown, count: number) =>
      `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: event })}\n\n`.repeat(count);
    const peer = await during(
      startScriptedPeer({
        *steps(say) {
          yield say.task();
          yield say.status("WORKING");
          yield say.piece("y");
          const more = say.piece("y", { append: true }).event;
          const other = JSON.parse(JSON.stringify(more).replaceAll(say.taskId, "another"));
          for (let place = 0; place < 100; place++) yield { raw: frames(more, 500) + frames(other, 500) };
          yield say.status("COMPLETED");
        },
      }),
    );
    const checker = await during(startChecker(peer.url));
    await (await call(checker.url, "SendStreamingMessage", { message })).text();
    const { violations, violationCount, streams } = checker.report();
    expect([violations.length, violationCount, streams[0]?.events]).toEqual([1_000, 50_000, 100_004]);
    expect(streams[0]?.texts).toEqual({ result: "y".repeat(50_001) });
  });

  it("limits the text it keeps and reports the truncation", () => {
    const texts = new ArtifactTexts();
    const piece = {
      name: undefined,
      carriedId: undefined,
      text: "x".repeat(1_000_000),
      lastChunk: false,
      mediaTypes: [],
      snapshotOf: undefined,
    };
    for (let place = 0; place < 80; place++)
      texts.take("a", { ...piece, artifactId: "a", append: place > 0 }, place);
    expect([texts.overflowed, texts.differingSnapshots()]).toEqual([true, []]);
    expect(texts.texts().a?.length).toBeLessThanOrEqual(64 * 1024 * 1024);
  });
});
