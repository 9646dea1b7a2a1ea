import { memberIn, toolResult } from "@parley/a2a";
import { offlineModel } from "@parley/models";
import { compatibleWire } from "@parley/models/testing/compatible-wire.ts";
import { describe, expect, it } from "vitest";
import { agentAtWork, calling, shown } from "./testing/agent-at-work.ts";
import { artifactText, endOf, inShort, joinedText } from "./testing/seen-stream.ts";
import { openJournal } from "./testing/working-agent.ts";

describe.each(["memory", "SQLite"] as const)("an agent on %s", (kind) => {
  it("always streams; sending and waiting gives the same, joined (S2.1, S2.2, S2.3)", async () => {
    const turn = { text: ["Here ", "it ", "is."] };
    const { agent } = await agentAtWork([turn], { journal: await openJournal(kind), tools: false });
    const events = await agent.streamed("go");
    expect(events.map(inShort).slice(2)).toEqual([
      'current_result = "Here "',
      'current_result + "it "',
      'current_result + "is."',
      'current_result +. ""',
      "completed",
    ]);
    expect(artifactText(await agent.send("go"))).toEqual(joinedText(events));
  });

  it("goes on streaming across tool calls (S2.13)", async () => {
    const { agent, provider } = await agentAtWork(
      [
        { text: ["Let me ", "look. "], calls: [calling("c1", "echo", { say: "low tide" })] },
        { text: ["It is ", "low tide."] },
      ],
      { journal: await openJournal(kind) },
    );
    const events = await agent.streamed("go");
    expect(events.map(inShort).slice(2)).toEqual([
      'current_result = "Let me "',
      'current_result + "look. "',
      "working: 🔧 Calling tool: it__echo",
      "working: ✅ Tool completed: it__echo",
      'current_result + "It is "',
      'current_result + "low tide."',
      'current_result +. ""',
      "completed",
    ]);
    expect(shown(provider).at(-1)).toMatchObject({ role: "tool", tool_call_id: "c1", content: "low tide" });
  });
});

describe("an agent and its tools", () => {
  it("goes on when a tool fails, is unknown, or is given what it cannot take (S2.13)", async () => {
    const { agent, provider } = await agentAtWork([
      {
        calls: [
          calling("c1", "fail"),
          calling("c2", "imagined"),
          calling("c3", "echo", '{"say":'),
          calling("c4", "add", { a: "one" }),
        ],
      },
      { text: ["Sorry."] },
    ]);
    const task = await agent.send("go");
    expect([endOf(task), artifactText(task)]).toEqual(["completed", { current_result: "Sorry." }]);
    const outcomes = shown(provider).filter(({ role }) => role === "tool");
    expect(outcomes.map(({ tool_call_id }) => tool_call_id)).toEqual(["c1", "c2", "c3", "c4"]);
    expect(outcomes.map(({ content }) => content)).toEqual([
      expect.stringContaining("there is no more coffee"),
      expect.stringContaining("There is no tool it__imagined. Tools: it__echo"),
      expect.stringContaining('not a JSON object: {"say":'),
      expect.stringContaining("failed"),
    ]);
  });

  it("makes the calls of a turn in parallel, so many at a time, and shows the model their results in its order", async () => {
    const calls = [30, 2, 2, 2].map((steps, n) => calling(`c${n}`, "slow", { steps }));
    const { agent, provider } = await agentAtWork([{ calls }, { text: ["Done."] }], {
      definition: { limits: { parallel: 2 } },
    });
    const events = await agent.streamed("go");
    const ended = events.flatMap((event) =>
      "statusUpdate" in event ? (memberIn(event.statusUpdate?.metadata, toolResult).value?.id ?? []) : [],
    );
    expect(ended).toEqual(["c1", "c2", "c3", "c0"]);
    const results = shown(provider).flatMap(({ tool_call_id }) => tool_call_id ?? []);
    expect(results).toEqual(["c0", "c1", "c2", "c3"]);
  });

  it("gives calls that the model numbers anew in each turn names of their own", async () => {
    const same = { calls: [calling("0", "echo", { say: "a" }), calling("0", "echo", { say: "b" })] };
    const { agent, provider } = await agentAtWork([same, same, { text: ["Done."] }]);
    expect(endOf(await agent.send("go"))).toBe("completed");
    const ids = shown(provider).flatMap(({ tool_call_id }) => tool_call_id ?? []);
    expect([ids.length, new Set(ids).size]).toEqual([4, 4]);
  });

  it("cuts a result of 50 MB to size, and goes on", async () => {
    const { agent, provider } = await agentAtWork([
      { calls: [calling("c1", "big", { bytes: 50_000_000 })] },
      { text: ["That was long."] },
    ]);
    const task = await agent.send("go");
    expect(endOf(task)).toBe("completed");
    expect(JSON.stringify(provider.requests.at(-1)?.body).length).toBeLessThan(200_000);
  });

  it("says that the outcome is unknown when its tool's server dies in the middle, and goes on", async () => {
    const { agent, provider } = await agentAtWork([
      { calls: [calling("c1", "die", { words: "out of memory" })] },
      { text: ["It died."] },
    ]);
    const lines = (await agent.streamed("go")).map(inShort);
    expect(lines).toContainEqual(expect.stringMatching(/❌ Tool unknown: it__die/));
    expect([lines.at(-1), shown(provider).at(-1)?.content]).toEqual([
      "completed",
      expect.stringContaining("unknown"),
    ]);
  });

  it("hears that a tool may not ask the user in mid-call, and goes on", async () => {
    const { agent, provider } = await agentAtWork([{ calls: [calling("c1", "ask")] }, { text: ["I see."] }]);
    const lines = (await agent.streamed("go")).map(inShort);
    expect(lines).toContainEqual(expect.stringMatching(/❌ Tool failed: it__ask: .*Cannot request input/));
    expect([lines.at(-1), shown(provider).at(-1)?.content]).toEqual([
      "completed",
      expect.stringContaining("did not declare the required capability"),
    ]);
  });

  it("does not show a model the tools that it may never use", async () => {
    const rules = { default: "always", tools: [{ pattern: "it__d*", mode: "never" }] } as const;
    const turns = [{ calls: [calling("c1", "die", { words: "x" })] }, { text: ["No."] }] as const;
    const { agent, provider } = await agentAtWork([...turns], { approval: rules });
    expect(endOf(await agent.send("go"))).toBe("completed");
    expect(JSON.stringify(provider.requests[0]?.body)).not.toContain("it__die");
    expect(shown(provider).at(-1)?.content).toContain("may not be used");
  });

  it("tells of tools that are not available, before it answers", async () => {
    const { agent, servers } = await agentAtWork([{ text: ["Hello."] }]);
    await servers.stop();
    expect(artifactText(await agent.send("go")).current_result).toMatch(
      /^⚠️ The tools of it are not available: .+\n\nHello\.$/,
    );
  });
});

describe("an agent in a conversation", () => {
  it("remembers what was said in the same context (S1.19)", async () => {
    const { agent, provider } = await agentAtWork([{ text: ["Four."] }, { text: ["Six."] }], {
      tools: false,
    });
    await agent.send({ parts: [{ text: "2+2?" }], contextId: "sums" });
    await agent.send({ parts: [{ text: "3+3?" }], contextId: "sums" });
    expect(shown(provider).map(({ role, content }) => [role, content])).toEqual([
      ["system", "Be brief."],
      ["user", "2+2?"],
      ["assistant", "Four."],
      ["user", "3+3?"],
    ]);
  });

  it("takes up what is said while it works, and answers it too", async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const frames = compatibleWire.frames({ text: ["One. "], end: "stop" });
    const { agent, provider } = await agentAtWork([
      async (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(frames.slice(0, 2).join(""));
        await gate;
        response.end(frames.slice(2).join(""));
      },
      { text: ["Two."] },
    ]);
    const taskId = await agent.begin("one");
    await expect.poll(async () => artifactText(await agent.get(taskId))).toEqual({ current_result: "One. " });
    await agent.begin({ taskId, parts: [{ text: "and two" }, { data: { urgent: true } }] });
    go();
    const task = await agent.settled(taskId);
    expect([endOf(task), artifactText(task)]).toEqual(["completed", { current_result: "One. Two." }]);
    expect(shown(provider).at(-1)).toMatchObject({ role: "user", content: 'and two\n{"urgent":true}' });
  });

  it("works offline, with tools that are really there", async () => {
    const { agent } = await agentAtWork([{}], { model: offlineModel() });
    const lines = (await agent.streamed("add 2 and 3")).map(inShort);
    expect(lines).toContain("working: ✅ Tool completed: it__add");
    expect(lines.at(-1)).toBe("completed");
  });
});
