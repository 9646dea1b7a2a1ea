import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import { agentFile, agentsFolder, scripted } from "../testing/agent-files.ts";
import { answerIn, endOf, say, wordsOf } from "../testing/conversation.ts";
import { ServerProcess } from "../testing/server-process.ts";

/** An OpenAI-compatible endpoint whose models are ways to fail: each is the status that it answers with, or a tool to call. */
async function endpoint(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { model, messages } = (await json(request)) as { model: string; messages: { role: string }[] };
    const status = Number(model);
    if (status > 0) return response.writeHead(status).end(JSON.stringify({ error: { message: "no" } }));
    const isAnswer = messages.some(({ role }) => role === "tool");
    const call = { index: 0, id: "c1", type: "function", function: { name: model, arguments: "{}" } };
    const delta = isAnswer ? { content: "There is no such tool." } : { tool_calls: [call] };
    const choice = { index: 0, delta, finish_reason: isAnswer ? "stop" : "tool_calls" };
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    return response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

it("a healthy agent is not affected by agents that fail in every way at once", async () => {
  const url = await endpoint();
  const model = (name: string, at = url) => `model: openai-compatible:${name}@${at}`;
  const tooled = (server: string) => [`mcpServers: [${server}]`, "approval: always"];
  const agents = await agentsFolder(
    {
      "fine.md": agentFile("Is fine.", ...tooled("tools")),
      "wrong_key.md": agentFile("Has a wrong key.", model("401")),
      "unknown_model.md": agentFile("Names a model that nobody has.", model("404")),
      "unreachable.md": agentFile("Has nobody to ask.", model("any", "http://127.0.0.1:1/v1")),
      "imagines.md": agentFile("Imagines a tool.", model("imagined"), ...tooled("tools")),
      "missing.md": agentFile("Has a tool that is not there.", ...tooled("missing")),
      "dying.md": agentFile("Has a tool that dies.", ...tooled("dying")),
      "garbage.md": agentFile("Has a tool that is none.", ...tooled("garbage")),
      "big.md": agentFile("Has a tool that says too much.", ...tooled("tools")),
      "hanging.md": agentFile("Has a tool that hangs.", ...tooled("tools"), "limits: { toolSeconds: 0.5 }"),
    },
    {
      tools: scripted("serve"),
      missing: { command: "no-such-program" },
      dying: scripted("die", "no licence"),
      garbage: scripted("garbage"),
    },
  );
  const server = new ServerProcess({
    PARLEY_DATA: await testFolder(),
    PARLEY_AGENTS: agents,
    PARLEY_MODEL: "offline",
  });
  const asked: Readonly<Record<string, readonly [question: string, end: string, words: RegExp]>> = {
    wrong_key: ["Hello", "failed", /refuses the key/],
    unknown_model: ["Hello", "failed", /is not known to its provider/],
    unreachable: ["Hello", "failed", /cannot be reached/],
    imagines: ["Hello", "completed", /There is no tool imagined.*There is no such tool\./s],
    missing: ["Hello", "completed", /the command no-such-program was not found/],
    dying: ["Hello", "completed", /its last words were: no licence/],
    garbage: ["Hello", "completed", /its standard output is not MCP/],
    big: ["big 50000000 bytes", "completed", /only the first 65536 bytes|50000000 bytes of text/],
    hanging: [
      "slow 100000 steps",
      "completed",
      /Tool unknown: tools__slow: slow did not answer within 0.5 s/,
    ],
    fine: ['echo "hello"', "completed", /hello/],
  };
  const answers = await Promise.all(
    Object.entries(asked).map(async ([name, [question]]) => {
      const events = await say(await server.agentUrl(name), question);
      return [name, endOf(events), events.map(wordsOf).join("")] as const;
    }),
  );
  for (const [name, end, words] of answers)
    expect([name, end, words]).toEqual([
      name,
      asked[name]?.[1],
      expect.stringMatching(asked[name]?.[2] ?? ""),
    ]);
  const again = await say(await server.agentUrl("fine"), 'echo "still here"');
  expect([endOf(again), answerIn(again)]).toEqual(["completed", expect.stringContaining("still here")]);
}, 180_000);
