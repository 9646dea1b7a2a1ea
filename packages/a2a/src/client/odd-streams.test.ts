import { describe, expect, it } from "vitest";
import { hello, type OddCall, oddAgent, oddCard, piece, read, status, task } from "./testing/odd-agent.ts";
import { answers, drops, ends, hangs, refuses, script } from "./testing/odd-script.ts";

const STREAM = "SendStreamingMessage";
const SUBSCRIBE = "SubscribeToTask";
const GET = "GetTask";

const working = { task: task("WORKING") };
const completed = status("COMPLETED");
const whole = { texts: { a: "abcdef" }, gaps: [] };

describe("a stream that misbehaves", () => {
  it("is parsed with comments, CRLF and multi-line data", async () => {
    const agent = await oddAgent((call) => {
      const stream = call.stream().raw(": hi\r\n\r\n").raw("retry: 5\r\n");
      const result = { task: task("WORKING", { a: "é👍🏽" }) };
      const lines = JSON.stringify({ jsonrpc: "2.0", id: 1, result }, null, 1).split("\n");
      stream.raw(`${lines.map((line) => `data: ${line}`).join("\r\n")}\r\n\r\n`);
      stream.send(completed).end();
    });
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject({ texts: { a: "é👍🏽" } });
  });

  it("may send tokens as status updates: each is yielded once, even equal ones (S0.12)", async () => {
    const token = (text: string, n: number) => {
      const { statusUpdate } = status("WORKING");
      const message = { messageId: `m${n}`, role: "ROLE_AGENT", parts: [{ text }] };
      return { statusUpdate: { ...statusUpdate, status: { ...statusUpdate.status, message } } };
    };
    const said = ["Tora", "! ", "Tora", "! "];
    const tokens = said.map(token);
    const agent = await oddAgent(
      script({ [STREAM]: [ends(working, ...tokens, completed)], [GET]: [answers(task("COMPLETED"))] }),
    );
    const heard: string[] = [];
    for await (const { event } of (await agent.connect()).stream(hello())) {
      if ("statusUpdate" in event)
        heard.push(...(event.statusUpdate.status.message?.parts.map(({ text }) => text ?? "") ?? []));
    }
    expect(heard).toEqual(said);
  });

  it("is resumed when it ends early or becomes idle", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [ends(working)],
        [SUBSCRIBE]: [
          hangs({ task: task("WORKING", { a: "abc" }) }),
          ends({ task: task("WORKING", { a: "abcdef" }) }, completed),
        ],
        [GET]: [answers(task("COMPLETED", { a: "abcdef" }))],
      }),
    );
    expect(await read((await agent.connect({ limits: { idle: 400 } })).stream(hello()))).toMatchObject(whole);
    expect(agent.heard.reconnecting).toBe(2);
  });

  it("is replaced by polling when the agent keeps closing it", async () => {
    const agent = await oddAgent(
      script({
        [STREAM]: [ends(working)],
        [SUBSCRIBE]: [ends(working)],
        [GET]: [answers(task("WORKING")), answers(task("COMPLETED", { a: "abcdef" }))],
      }),
    );
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
  });

  it("ends with the error that the agent sends in it, unless the task has ended", async () => {
    let state = "WORKING";
    const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"broken"}}';
    const agent = await oddAgent((call) => {
      if (call.method === GET) return call.result(task(state, { a: "abcdef" }));
      return call.stream().send(working).raw(`event: error\ndata: ${error}\n\n`).end();
    });
    const client = await agent.connect();
    await expect(read(client.stream(hello()))).rejects.toMatchObject({ kind: "Internal" });
    state = "COMPLETED";
    expect(await read(client.stream(hello()))).toMatchObject(whole);
  });

  it("is refused when one event is too large", async () => {
    const agent = await oddAgent(ends({ task: task("WORKING", { a: "x".repeat(100_000) }) }));
    const client = await agent.connect({ limits: { eventCharacters: 10_000 } });
    const message = expect.stringContaining("10000 characters");
    await expect(read(client.stream(hello()))).rejects.toMatchObject({ code: "agent_response", message });
    expect(agent.heard).toEqual({ unreadable: 1 });
  });

  it("has events after its end dropped and counted", async () => {
    const agent = await oddAgent(ends(working, completed, piece("late", false), working));
    const seen = await read((await agent.connect()).stream(hello()));
    expect(seen).toEqual({ texts: {}, states: ["WORKING", "COMPLETED"], gaps: [] });
    expect(agent.heard).toEqual({ lateEvent: 2 });
  });

  it("ends soon after its task, even if the agent keeps the connection open", async () => {
    const agent = await oddAgent(hangs(working, completed));
    expect((await read((await agent.connect()).stream(hello()))).states).toEqual(["WORKING", "COMPLETED"]);
  });

  it("may be a single JSON response instead", async () => {
    const agent = await oddAgent(answers({ task: task("COMPLETED", { a: "abcdef" }) }));
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
    expect(agent.heard).toEqual({ notStreamed: 1 });
  });
});

describe("artifacts that misbehave", () => {
  it("without an id get a stable one, also across a reconnect (S3.10)", async () => {
    const nameless = { artifactId: "" };
    const pieces = [piece("ab", false, nameless), piece("c", true, nameless)];
    const notes = piece("x", false, { ...nameless, name: "notes" });
    const artifacts = [{ parts: [{ text: "abcdef" }] }, { name: "notes", parts: [{ text: "xyz" }] }];
    const agent = await oddAgent(
      script({
        [STREAM]: [drops(working, ...pieces, notes)],
        [SUBSCRIBE]: [refuses(-32004)],
        [GET]: [answers({ ...task("COMPLETED"), artifacts })],
      }),
    );
    const seen = await read((await agent.connect()).stream(hello()));
    expect(seen).toMatchObject({ texts: { "repaired-0": "abcdef", "repaired-notes": "xyz" }, gaps: [] });
    expect(agent.heard.artifactRepaired).toBe(2);
  });

  it("are created and counted when their first piece appends (S3.8)", async () => {
    const agent = await oddAgent(ends(working, piece("abc", true), piece("def", true), completed));
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
    expect(agent.heard).toEqual({ appendViolation: 1 });
  });

  it("follow the agent's record when their first piece comes late", async () => {
    const pieces = [piece("cd", true), piece("ab", false), piece("ef", true)];
    const agent = await oddAgent(
      script({
        [STREAM]: [ends(working, ...pieces, completed)],
        [GET]: [answers(task("COMPLETED", { a: "abcdef" }))],
      }),
    );
    expect((await read((await agent.connect()).stream(hello()))).texts).toEqual({ a: "abcdef" });
    expect(agent.heard).toEqual({ appendViolation: 1, replaced: 1 });
  });

  it("are replaced without a gap when the agent starts them over", async () => {
    const agent = await oddAgent(ends(working, piece("wrong", false), piece("abcdef", false), completed));
    expect(await read((await agent.connect()).stream(hello()))).toMatchObject(whole);
  });
});

describe("an agent without streams", () => {
  const noStreams = (url: string) => oddCard(url, { capabilities: {} });
  const unknown = { ...task("WORKING"), status: { state: "TASK_STATE_UNSPECIFIED" } };
  const sent = [answers({ task: unknown })];

  it("is polled, and yields the same events", async () => {
    const agent = await oddAgent(
      script({
        SendMessage: [answers({ task: task("SUBMITTED") })],
        [GET]: ["abc", "abcdef"]
          .map((text) => answers(task("WORKING", { a: text })))
          .concat(answers(task("COMPLETED", { a: "abcdef" }))),
      }),
      noStreams,
    );
    const seen = await read((await agent.connect()).stream(hello()));
    expect(seen).toEqual({ ...whole, states: ["SUBMITTED", "WORKING", "COMPLETED"] });
    expect(agent.calls[0]?.params).toMatchObject({ configuration: { returnImmediately: true } });
    expect(agent.calls.map(({ method }) => method)).not.toContain(STREAM);
  });

  it("is polled when a task continues, because it may still seem to wait for the input just sent", async () => {
    const agent = await oddAgent(
      script({ SendMessage: [answers({ task: task("COMPLETED", { a: "abcdef" }) })] }),
      noStreams,
    );
    const goesOn = { message: { ...hello().message, taskId: "t1" } };
    expect(await read((await agent.connect()).stream(goesOn))).toMatchObject(whole);
    expect(agent.calls.map(({ params }) => params.configuration)).toEqual([{ returnImmediately: false }]);
  });

  it("is polled again while it reports an unknown state (S1.10)", async () => {
    const get = [answers(unknown), answers(task("COMPLETED"))];
    const agent = await oddAgent(script({ SendMessage: sent, [GET]: get }), noStreams);
    const answer = await (await agent.connect()).send(hello());
    expect(answer).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } });
  });

  it("is not polled forever while it reports an unknown state (S1.10)", async () => {
    const agent = await oddAgent(script({ SendMessage: sent, [GET]: [answers(unknown)] }), noStreams);
    const client = await agent.connect({ limits: { unknownState: 30 } });
    await expect(client.send(hello())).rejects.toMatchObject({ code: "agent_timeout" });
    await expect(read(client.stream(hello()))).rejects.toMatchObject({ code: "agent_timeout" });
  });
});

describe("a reader", () => {
  it("closes the connection when it stops reading, without cancelling the task", async () => {
    const closed = Promise.withResolvers<void>();
    const agent = await oddAgent((call: OddCall) => {
      call.response.on("close", () => closed.resolve());
      call.stream().send(working);
    });
    for await (const _ of (await agent.connect()).stream(hello())) break;
    await closed.promise;
    expect(agent.calls.map(({ method }) => method)).toEqual([STREAM]);
  });
});
