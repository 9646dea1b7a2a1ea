import { describe, expect, it } from "vitest";
import { hello, type OddCall, oddAgent, oddCard, piece, read, status, task } from "./testing/odd-agent.ts";

const STREAM = "SendStreamingMessage";
const SUBSCRIBE = "SubscribeToTask";
const GET = "GetTask";

/** Answers each method with the next of its answers; the last one is used again. */
function script(answers: Readonly<Record<string, readonly ((call: OddCall) => void)[]>>) {
  return (call: OddCall) => {
    const own = answers[call.method] ?? [];
    const answer = own[Math.min(call.before, own.length - 1)];
    return answer ? answer(call) : call.error(-32601);
  };
}

/** A stream that begins, says this much, and breaks. */
const begun =
  (...texts: string[]) =>
  (call: OddCall) => {
    const stream = call.stream().send({ task: task("WORKING") });
    for (const [place, text] of texts.entries()) stream.send(piece(text, place > 0));
    stream.drop();
  };

const whole = { texts: { a: "abcdef" }, gaps: [] };

describe("a stream that breaks at an agent without cursors (invariant 7)", () => {
  it("yields only what the snapshot has more", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [begun("ab", "c")],
        [SUBSCRIBE]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING", { a: "abcde" }) })
              .send(piece("f", true))
              .send(status("COMPLETED"))
              .end(),
        ],
        [GET]: [(call) => call.result(task("COMPLETED", { a: "abcdef" }))],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toEqual({
      ...whole,
      states: ["WORKING", "COMPLETED"],
    });
    expect(agent.heard).toEqual({ reconnecting: 1 });
  });

  it("drops pieces that the snapshot had already, though they say what was said before", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [begun("ha", "ha")],
        [SUBSCRIBE]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING", { a: "hahaha" }) })
              // Two that the snapshot has, then one that is new.
              .send(piece("ha", true))
              .send(piece("ha", true))
              .send(piece("!", true))
              .send(status("COMPLETED"))
              .end(),
        ],
        [GET]: [
          (call) => call.result(task("WORKING", { a: "hahaha" })),
          (call) => call.result(task("WORKING", { a: "hahaha" })),
          (call) => call.result(task("COMPLETED", { a: "hahaha!" })),
        ],
      }),
    );
    const seen = await read((await agent.connect()).stream(hello()));
    expect(seen).toMatchObject({ texts: { a: "hahaha!" }, gaps: [] });
    expect(agent.heard).toEqual({ reconnecting: 1, repeatedPiece: 2 });
  });

  it("keeps pieces that are new, though they say what was said before", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [begun("ha", "ha")],
        [SUBSCRIBE]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING", { a: "haha" }) })
              .send(piece("ha", true))
              .send(piece("ha", true))
              .send(status("COMPLETED"))
              .end(),
        ],
        [GET]: [
          (call) => call.result(task("WORKING", { a: "hahaha" })),
          (call) => call.result(task("COMPLETED", { a: "hahahaha" })),
        ],
      }),
    );
    const seen = await read((await agent.connect()).stream(hello()));
    expect(seen).toMatchObject({ texts: { a: "hahahaha" }, gaps: [] });
    expect(agent.heard).toEqual({ reconnecting: 1 });
  });

  it("follows an agent that says everything again from the beginning", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [begun("ab", "c")],
        [SUBSCRIBE]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING") })
              .send(piece("ab", false))
              .send(piece("c", true))
              .send(piece("de", true))
              .send(piece("f", true, { lastChunk: true }))
              .send(status("COMPLETED"))
              .end(),
        ],
        [GET]: [(call) => call.result(task("COMPLETED", { a: "abcdef" }))],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
    expect(agent.heard.repeatedPiece).toBe(2);
  });

  it("asks for a snapshot where resubscribing brings none", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [begun("ab", "c")],
        [SUBSCRIBE]: [(call) => call.stream().send(piece("f", true)).send(status("COMPLETED")).end()],
        [GET]: [
          (call) => call.result(task("WORKING", { a: "abcde" })),
          (call) => call.result(task("COMPLETED", { a: "abcdef" })),
        ],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
  });

  it("replaces and flags what contradicts, and never hides it", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [begun("ab", "X")],
        [SUBSCRIBE]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING", { a: "abcde" }) })
              .send(piece("f", true))
              .send(status("COMPLETED"))
              .end(),
        ],
        [GET]: [(call) => call.result(task("COMPLETED", { a: "abcdef" }))],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject({
      texts: { a: "abcdef" },
      gaps: ["replacement"],
    });
    expect(agent.heard.replaced).toBe(1);
  });

  it("finds a gap that the agent left after its snapshot, and flags its repair", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [begun("ab")],
        // "cd" got lost inside the agent, between its snapshot and its events.
        [SUBSCRIBE]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING", { a: "ab" }) })
              .send(piece("ef", true))
              .send(status("COMPLETED"))
              .end(),
        ],
        [GET]: [
          (call) => call.result(task("WORKING", { a: "abcd" })),
          (call) => call.result(task("COMPLETED", { a: "abcdef" })),
        ],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toEqual({
      texts: { a: "abcdef" },
      gaps: ["replacement"],
      states: ["WORKING", "COMPLETED"],
    });
  });

  it("says so when the end could not be checked", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [begun("ab")],
        [SUBSCRIBE]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING", { a: "ab" }) })
              .send(piece("cdef", true))
              .send(status("COMPLETED"))
              .end(),
        ],
        [GET]: [(call) => call.result(task("WORKING", { a: "ab" }))],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject({
      texts: { a: "abcdef" },
      gaps: ["unverified"],
    });
  });

  it.each([-32004, -32001])("gets the rest of a task that has ended meanwhile (%i)", async (code) => {
    const agent = await oddAgent(
      script({
        [STREAM]: [begun("ab", "c")],
        [SUBSCRIBE]: [(call) => call.error(code)],
        [GET]: [(call) => call.result(task("FAILED", { a: "abcdef", b: "more" }))],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toEqual({
      texts: { a: "abcdef", b: "more" },
      states: ["WORKING", "FAILED"],
      gaps: [],
    });
  });

  it("polls where the agent cannot take a stream up again", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [begun("ab", "c")],
        [SUBSCRIBE]: [(call) => call.error(-32601)],
        [GET]: [
          (call) => call.result(task("WORKING", { a: "abcd" })),
          (call) => call.result(task("WORKING", { a: "abcde" })),
          (call) => call.result(task("COMPLETED", { a: "abcdef" })),
        ],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
  });

  it("gives up after so many tries, and says how to go on", async () => {
    const agent = await oddAgent(
      script({ [STREAM]: [begun("ab")], [SUBSCRIBE]: [(call) => call.response.destroy()] }),
    );
    await expect(read((await agent.connect()).stream(hello()))).rejects.toMatchObject({
      code: "stream_lost",
      taskId: "t1",
      message: expect.stringContaining("subscribe to the task again"),
    });
    expect(agent.heard.reconnecting).toBe(3);
  });
});

describe("a stream that breaks at an agent with cursors (+1, invariant 5)", () => {
  it("goes on after the last cursor", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING") }, "1")
              .send(piece("abc", false), "2")
              .drop(),
        ],
        [SUBSCRIBE]: [
          (call) => call.stream().send(piece("def", true), "3").send(status("COMPLETED"), "4").end(),
        ],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
    expect(agent.calls.at(-1)?.headers["last-event-id"]).toBe("2");
  });

  it("drops the frames of an event whose cursor was cut off", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING") }, "1")
              .send(piece("abc", false))
              .drop(),
        ],
        [SUBSCRIBE]: [
          (call) =>
            call
              .stream()
              .send(piece("abc", false))
              .send(piece("def", true), "2")
              .send(status("COMPLETED"), "3")
              .end(),
        ],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
  });

  it("takes a snapshot where the agent has forgotten the cursor", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING") }, "1")
              .send(piece("abc", false), "2")
              .drop(),
        ],
        [SUBSCRIBE]: [
          (call) => call.error(-32602),
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING", { a: "abcde" }) }, "9")
              .send(piece("f", true), "10")
              .send(status("COMPLETED"), "11")
              .end(),
        ],
        [GET]: [(call) => call.result(task("COMPLETED", { a: "abcdef" }))],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
  });
});

describe("a stream that misbehaves", () => {
  it("is understood with comments, CRLF, data in several lines and characters cut in half", async () => {
    const agent = await oddAgent((call) => {
      const stream = call.stream().raw(": hi\r\n\r\n").raw("retry: 5\r\n");
      const text = JSON.stringify(
        { jsonrpc: "2.0", id: 1, result: { task: task("WORKING", { a: "é👍🏽" }) } },
        null,
        1,
      );
      const bytes = Buffer.from(
        `${text
          .split("\n")
          .map((line) => `data: ${line}`)
          .join("\r\n")}\r\n\r\n`,
      );
      for (const byte of bytes) stream.raw(Uint8Array.of(byte));
      stream.send(status("COMPLETED")).end();
    });
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject({ texts: { a: "é👍🏽" } });
  });

  it("is taken up again when it ends without a word, and when it falls silent", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING") })
              .end(),
        ],
        [SUBSCRIBE]: [
          (call) => void call.stream().send({ task: task("WORKING", { a: "abc" }) }),
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING", { a: "abcdef" }) })
              .send(status("COMPLETED"))
              .end(),
        ],
        [GET]: [(call) => call.result(task("COMPLETED", { a: "abcdef" }))],
      }),
    );
    expect(await read((await agent.connect({ limits: { idle: 60 } })).stream(hello()))).toMatchObject(whole);
    expect(agent.heard.reconnecting).toBe(2);
  });

  it("is polled when the agent closes it again and again", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING") })
              .end(),
        ],
        [SUBSCRIBE]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING") })
              .end(),
        ],
        [GET]: [
          (call) => call.result(task("WORKING")),
          (call) => call.result(task("COMPLETED", { a: "abcdef" })),
        ],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
  });

  it("ends with the error that the agent sends in it, unless the task has ended", async () => {
    let state = "WORKING";
    const agent = await oddAgent((call) => {
      if (call.method === GET) return call.result(task(state, { a: "abcdef" }));
      return call
        .stream()
        .send({ task: task("WORKING") })
        .raw('data: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"broken"}}\n\n')
        .end();
    });
    const client = await agent.connect();
    await expect(read(client.stream(hello()))).rejects.toMatchObject({ kind: "Internal" });
    state = "COMPLETED";
    expect(await read(client.stream(hello()))).toMatchObject(whole);
  });

  it("is refused when one event is too large", async () => {
    const agent = await oddAgent((call) =>
      call
        .stream()
        .send({ task: task("WORKING", { a: "x".repeat(100_000) }) })
        .end(),
    );
    const client = await agent.connect({ limits: { eventCharacters: 10_000 } });
    await expect(read(client.stream(hello()))).rejects.toMatchObject({
      code: "agent_response",
      message: expect.stringContaining("10000 characters"),
    });
  });

  it("has events after its end dropped and counted", async () => {
    const agent = await oddAgent((call) =>
      call
        .stream()
        .send({ task: task("WORKING") })
        .send(status("COMPLETED"))
        .send(piece("late", false))
        .send({ task: task("WORKING") })
        .end(),
    );
    expect(await read((await agent.connect()).stream(hello()))).toEqual({
      texts: {},
      states: ["WORKING", "COMPLETED"],
      gaps: [],
    });
    expect(agent.heard.lateEvent).toBe(2);
  });

  it("ends soon after its task, though the agent keeps the connection", async () => {
    const agent = await oddAgent(
      (call) =>
        void call
          .stream()
          .send({ task: task("WORKING") })
          .send(status("COMPLETED")),
    );
    expect((await read((await agent.connect()).stream(hello()))).states).toEqual(["WORKING", "COMPLETED"]);
  });
});

describe("artifacts that misbehave", () => {
  it("without an id get one that stays, also across a reconnect (S3.10)", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [
          (call) =>
            call
              .stream()
              .send({ task: task("WORKING") })
              .send(piece("ab", false, { artifactId: "" }))
              .send(piece("c", true, { artifactId: "" }))
              .send(piece("x", false, { artifactId: "", name: "notes" }))
              .drop(),
        ],
        [SUBSCRIBE]: [(call) => call.error(-32004)],
        [GET]: [
          (call) =>
            call.result({
              ...task("COMPLETED"),
              artifacts: [{ parts: [{ text: "abcdef" }] }, { name: "notes", parts: [{ text: "xyz" }] }],
            }),
        ],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject({
      texts: { "repaired-0": "abcdef", "repaired-notes": "xyz" },
      gaps: [],
    });
    expect(agent.heard.artifactRepaired).toBe(2);
  });

  it("that begin by appending are created, and counted (S3.8)", async () => {
    const agent = await oddAgent((call) =>
      call
        .stream()
        .send({ task: task("WORKING") })
        .send(piece("abc", true))
        .send(piece("def", true))
        .send(status("COMPLETED"))
        .end(),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
    expect(agent.heard).toEqual({ appendViolation: 1 });
  });

  it("that the agent begins anew are replaced, without a flag", async () => {
    const agent = await oddAgent((call) =>
      call
        .stream()
        .send({ task: task("WORKING") })
        .send(piece("wrong", false))
        .send(piece("abcdef", false))
        .send(status("COMPLETED"))
        .end(),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
  });
});

describe("an agent without streams", () => {
  const noStreams = (url: string) => oddCard(url, { capabilities: {} });

  it("is asked again and again, and yields the same events", async () => {
    const agent = await oddAgent(
      script({
        SendMessage: [(call) => call.result({ task: task("SUBMITTED") })],
        [GET]: [
          (call) => call.result(task("WORKING", { a: "abc" })),
          (call) => call.result(task("WORKING", { a: "abcdef" })),
          (call) => call.result(task("COMPLETED", { a: "abcdef" })),
        ],
      }),
      noStreams,
    );
    expect(await read((await agent.connect()).stream(hello()))).toEqual({
      ...whole,
      states: ["SUBMITTED", "WORKING", "COMPLETED"],
    });
    expect(agent.calls[0]?.params).toMatchObject({ configuration: { returnImmediately: true } });
    expect(agent.calls.map(({ method }) => method)).not.toContain(STREAM);
  });

  it("is asked again about a state that it does not know, but not for ever", async () => {
    const unknown = { ...task("WORKING"), status: { state: "TASK_STATE_UNSPECIFIED" } };
    const answers = [
      (call: OddCall) => call.result(unknown),
      (call: OddCall) => call.result(task("COMPLETED")),
    ];
    const agent = await oddAgent(
      script({ SendMessage: [(call) => call.result({ task: unknown })], [GET]: answers }),
      noStreams,
    );
    const client = await agent.connect();
    expect(await client.send(hello())).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } });
    const never = await oddAgent(
      script({ SendMessage: [(call) => call.result({ task: unknown })], [GET]: [answers[0] as never] }),
      noStreams,
    );
    const limits = { unknownState: 30 };
    await expect((await never.connect({ limits })).send(hello())).rejects.toMatchObject({
      code: "agent_timeout",
    });
    await expect(read((await never.connect({ limits })).stream(hello()))).rejects.toMatchObject({
      code: "agent_timeout",
    });
  });
});
