import { describe, expect, it } from "vitest";
import { hello, oddAgent, piece, read, status, task } from "../testing/odd-agent.ts";
import { answers, drops, ends, hangs, numbered, refuses, script } from "../testing/odd-script.ts";

const STREAM = "SendStreamingMessage";
const SUBSCRIBE = "SubscribeToTask";
const GET = "GetTask";

const completed = status("COMPLETED");
const snapshot = (text: string) => ({ task: task("WORKING", { a: text }) });
const working = (text: string) => answers(task("WORKING", { a: text }));
const done = (text: string) => answers(task("COMPLETED", { a: text }));

/** A stream that starts, sends this much, and breaks. */
const begun = (...texts: string[]) =>
  drops({ task: task("WORKING") }, ...texts.map((text, place) => piece(text, place > 0)));

const whole = { texts: { a: "abcdef" }, states: ["WORKING", "COMPLETED"], gaps: [] };

/** What a reader of the stream sees, and the agent for a closer look. */
async function streamed(answer: Parameters<typeof oddAgent>[0], limits = {}) {
  const agent = await oddAgent(answer);
  return { agent, seen: await read((await agent.connect({ limits })).stream(hello())) };
}

describe("a stream that breaks at an agent without cursors (invariant 7)", () => {
  it("yields only what the snapshot adds", async () => {
    const { agent, seen } = await streamed(
      script({
        [STREAM]: [begun("ab", "c")],
        [SUBSCRIBE]: [ends(snapshot("abcde"), piece("f", true), completed)],
        [GET]: [done("abcdef")],
      }),
    );
    expect(seen).toEqual(whole);
    expect(agent.heard).toEqual({ reconnecting: 1 });
  });

  it("drops repeated pieces that the snapshot already has", async () => {
    const { agent, seen } = await streamed(
      script({
        [STREAM]: [begun("ha", "ha")],
        [SUBSCRIBE]: [
          ends(snapshot("hahaha"), piece("ha", true), piece("ha", true), piece("!", true), completed),
        ],
        [GET]: [working("hahaha"), working("hahaha"), done("hahaha!")],
      }),
    );
    expect(seen).toMatchObject({ texts: { a: "hahaha!" }, gaps: [] });
    expect(agent.heard).toEqual({ reconnecting: 1, repeatedPiece: 2 });
  });

  it("keeps new pieces, even if their text equals earlier text", async () => {
    const { agent, seen } = await streamed(
      script({
        [STREAM]: [begun("ha", "ha")],
        [SUBSCRIBE]: [ends(snapshot("haha"), piece("ha", true), piece("ha", true), completed)],
        [GET]: [working("hahaha"), done("hahahaha")],
      }),
    );
    expect(seen).toMatchObject({ texts: { a: "hahahaha" }, gaps: [] });
    expect(agent.heard).toEqual({ reconnecting: 1 });
  });

  it("handles an agent that repeats everything from the beginning", async () => {
    const again = [
      piece("ab", false),
      piece("c", true),
      piece("de", true),
      piece("f", true, { lastChunk: true }),
    ];
    const { agent, seen } = await streamed(
      script({
        [STREAM]: [begun("ab", "c")],
        [SUBSCRIBE]: [ends({ task: task("WORKING") }, ...again, completed)],
        [GET]: [done("abcdef")],
      }),
    );
    expect(seen).toEqual(whole);
    expect(agent.heard.repeatedPiece).toBe(2);
  });

  it("requests a snapshot if resubscribing brings none", async () => {
    const { seen } = await streamed(
      script({
        [STREAM]: [begun("ab", "c")],
        [SUBSCRIBE]: [ends(piece("f", true), completed)],
        [GET]: [working("abcde"), done("abcdef")],
      }),
    );
    expect(seen).toEqual(whole);
  });

  it("replaces and flags contradicting content, and never hides it", async () => {
    const { agent, seen } = await streamed(
      script({
        [STREAM]: [begun("ab", "X")],
        [SUBSCRIBE]: [ends(snapshot("abcde"), piece("f", true), completed)],
        [GET]: [done("abcdef")],
      }),
    );
    expect(seen).toEqual({ ...whole, gaps: ["replacement"] });
    expect(agent.heard.replaced).toBe(1);
  });

  it("detects a gap after the agent's snapshot, and flags its repair", async () => {
    const { seen } = await streamed(
      script({
        [STREAM]: [begun("ab")],
        // "cd" got lost inside the agent, between its snapshot and its events.
        [SUBSCRIBE]: [ends(snapshot("ab"), piece("ef", true), completed)],
        [GET]: [done("abcdef")],
      }),
    );
    expect(seen).toEqual({ ...whole, gaps: ["replacement"] });
  });

  it("reports that the end could not be verified", async () => {
    const { seen } = await streamed(
      script({
        [STREAM]: [begun("ab")],
        [SUBSCRIBE]: [ends(snapshot("ab"), piece("cdef", true), completed)],
        [GET]: [working("ab")],
      }),
    );
    expect(seen).toEqual({ ...whole, gaps: ["unverified"] });
  });

  it.each([-32004, -32001])("fetches the rest of a task that has ended meanwhile (%i)", async (code) => {
    const { seen } = await streamed(
      script({
        [STREAM]: [begun("ab", "c")],
        [SUBSCRIBE]: [refuses(code)],
        [GET]: [answers(task("FAILED", { a: "abcdef", b: "more" }))],
      }),
    );
    expect(seen).toEqual({ texts: { a: "abcdef", b: "more" }, states: ["WORKING", "FAILED"], gaps: [] });
  });

  it("polls if the agent cannot resume a stream", async () => {
    const { seen } = await streamed(
      script({ [STREAM]: [begun("ab", "c")], [GET]: [working("abcd"), working("abcde"), done("abcdef")] }),
    );
    expect(seen).toEqual(whole);
  });

  it("gives up after its retry limit, and reports how to continue", async () => {
    const agent = await oddAgent(
      script({ [STREAM]: [begun("ab")], [SUBSCRIBE]: [({ response }) => response.destroy()] }),
    );
    const message = expect.stringContaining("subscribe to the task again");
    const lost = { code: "stream_lost", taskId: "t1", message };
    await expect(read((await agent.connect()).stream(hello()))).rejects.toMatchObject(lost);
    expect(agent.heard.reconnecting).toBe(3);
  });
});

describe("a stream that breaks at an agent with cursors (+1, invariant 5)", () => {
  const start = [{ task: task("WORKING") }, piece("abc", false)];

  it("resumes after the last cursor", async () => {
    const { agent, seen } = await streamed(
      script({
        [STREAM]: [drops(...numbered(1, ...start))],
        [SUBSCRIBE]: [ends(...numbered(3, piece("def", true), completed))],
        [GET]: [done("abcdef")],
      }),
    );
    expect(seen).toEqual(whole);
    expect(agent.calls[1]?.headers["last-event-id"]).toBe("2");
  });

  it("drops the frames of an event whose cursor was cut off", async () => {
    const { seen } = await streamed(
      script({
        [STREAM]: [drops(...numbered(1, { task: task("WORKING") }, piece("ab", false)), piece("c", true))],
        [SUBSCRIBE]: [ends(piece("c", true), ...numbered(3, piece("def", true), completed))],
        [GET]: [done("abcdef")],
      }),
    );
    expect(seen).toEqual(whole);
  });

  it("fetches a snapshot if the agent no longer knows the cursor", async () => {
    const { seen } = await streamed(
      script({
        [STREAM]: [drops(...numbered(1, ...start))],
        [SUBSCRIBE]: [refuses(-32602), ends(...numbered(9, snapshot("abcde"), piece("f", true), completed))],
        [GET]: [done("abcdef")],
      }),
    );
    expect(seen).toEqual(whole);
  });

  it("neither loses nor repeats anything if the agent ignores cursors", async () => {
    const { agent, seen } = await streamed(
      script({
        [STREAM]: [drops(...numbered(1, ...start))],
        [SUBSCRIBE]: [
          ends(...numbered(1, snapshot("abcde"), piece("de", true), piece("f", true), completed)),
        ],
        [GET]: [working("abcde"), done("abcdef")],
      }),
    );
    expect(seen).toEqual(whole);
    expect(agent.heard.repeatedPiece).toBe(1);
  });

  it("yields the record to a caller with an expired cursor, and flags it", async () => {
    const agent = await oddAgent(
      script({
        [SUBSCRIBE]: [
          drops(...numbered(8, piece("ab", true))),
          refuses(-32602),
          hangs(snapshot("abab"), piece("ab", true), completed),
        ],
        [GET]: [working("ababab"), done("ababab")],
      }),
    );
    const texts: string[] = [];
    const gaps: unknown[] = [];
    for await (const { event, gap } of (await agent.connect()).subscribe("t1", { after: "7" })) {
      if (!("artifactUpdate" in event)) continue;
      texts.push(event.artifactUpdate.artifact.parts.map(({ text }) => text).join(""));
      gaps.push(gap);
    }
    expect([texts, gaps]).toEqual([
      ["ab", "abab", "ab"],
      [undefined, "replacement", undefined],
    ]);
  });
});
