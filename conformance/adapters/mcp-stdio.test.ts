import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it, onTestFinished } from "vitest";
import { Pace } from "../nodes/testing/pace.ts";
import { startTaskPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { RecordPlatform } from "../sessions/testing/record-platform.ts";
import { CLI, McpProgram } from "./testing/mcp-program.ts";

const KEY = "not-for-anybody-to-see";
const call = (id: number, message: string) => ({
  ...{ id, method: "tools/call" },
  params: { name: "ask_echo", arguments: { message }, _meta: { progressToken: id } },
});

/** An agent that echoes its input in two chunks. */
async function startEcho(pace: () => Pace) {
  return during(
    startTaskPeer(
      async (task, asked) => {
        let text = asked;
        task.status("WORKING");
        if (text.endsWith("?")) text += await task.ask("What is missing?");
        const result = { artifactId: "result", name: "result" };
        task.piece({ ...result, parts: [{ text: text.slice(0, 5) }] });
        await pace().pause();
        task.piece({ ...result, parts: [{ text: text.slice(5) }] }, { append: true, lastChunk: true });
        task.status("COMPLETED");
      },
      { name: "echo" },
    ),
  );
}

it("parley mcp stdio bridges clients of any MCP revision, reads lines in arbitrary chunks, survives a Parley restart, and prints only messages", {
  timeout: 300_000,
}, async () => {
  let pace = new Pace(60_000);
  pace.hurry();
  const echo = await startEcho(() => pace);
  const platform = await RecordPlatform.start({ echo });
  for (const mode of ["legacy", "auto"] as const) {
    const client = new Client(
      { name: "desktop", version: "1.0.0" },
      { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
    );
    client.setRequestHandler("elicitation/create", async () => ({
      ...{ action: "accept", content: { text: " This" } },
    }));
    const args = [CLI, "mcp", "stdio", "--server", platform.url];
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    onTestFinished(() => client.close());
    const progressValues: number[] = [];
    const result = await client.callTool(call(1, "What is it?").params, {
      onprogress: ({ progress }) => void progressValues.push(progress),
    });
    const { session, answer } = result.structuredContent as { session: string; answer: string };
    expect(answer).toBe("What is it? This");
    expect(answer).toBe((await platform.api.read(session)).messages.at(-1)?.content);
    expect(progressValues.length).toBeGreaterThan(0);
  }
  const program = new McpProgram(platform.url, { PARLEY_KEY: KEY });
  await program.greet();

  // Characters that end a line only elsewhere, in chunks that split a character.
  const odd = "One\u2028two\u2029three \u0085 naïve 🚀 \\n";
  const line = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...call(1, odd) })}\r\n`);
  const middle = line.indexOf("🚀") + 2;
  for (const piece of [line.subarray(0, 7), line.subarray(7, middle), line.subarray(middle)]) {
    program.write(piece);
    await sleep(20);
  }
  expect((await program.answer(1)).result.structuredContent.answer).toBe(odd);

  program.write("\n   \nno message\n[]\n{}\n");
  const large = "x".repeat(400_000);
  program.send(call(2, large));
  expect((await program.answer(2)).result.structuredContent.answer).toBe(large);
  program.send(call(3, "x".repeat(17_000_000)));
  expect((await program.answer(3)).error).toMatchObject({ data: { code: "too_large" } });
  program.send({ id: 4, method: "nothing/here" });
  expect((await program.answer(4)).error.code).toBe(-32_601);
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  program.send({ id: 5, method: "nothing/here", params: { _meta: meta } });
  expect((await program.answer(5)).error.code).toBe(-32_601);

  // Parley is killed in mid-call, stays away for longer than clients try by themselves, and comes back: the call goes
  // on, and so does what its user said meanwhile.
  program.send(call(6, "Hello, and what?"));
  const isQuestion = ({ method }: { method?: string }) => method === "elicitation/create";
  await expect.poll(() => program.messages.filter(isQuestion).length, { timeout: 60_000 }).toBe(1);
  await platform.kill();
  const { id } = program.messages.find(isQuestion);
  program.send({ id, result: { action: "accept", content: { text: " Goodbye" } } });
  program.send({ id: 7, method: "ping" });
  expect((await program.answer(7)).error.message).toContain("Cannot reach Parley at");
  await sleep(4_000);
  await platform.restart();
  const { session, answer } = (await program.answer(6, 60_000)).result.structuredContent;
  expect(answer).toBe("Hello, and what? Goodbye");
  expect(await platform.api.runs(session)).toHaveLength(1);

  // Closing its input during a call does not cancel the run.
  pace = new Pace(60_000);
  program.send(call(8, "Hello, and on"));
  await expect
    .poll(() => program.messages.filter(({ params }) => params?.progressToken === 8).length)
    .toBeGreaterThan(0);
  const processes = await readFile(`/proc/${program.pid}/cmdline`, "utf8");
  const said = program.messages.length;
  expect(await program.end()).toBe(0);
  expect(program.messages).toHaveLength(said);
  pace.hurry();
  const { sessions } = await platform.api.call<{ sessions: { id: string }[] }>("GET", "/sessions?limit=1");
  const { messages } = await platform.api.ended(sessions[0]?.id ?? "");
  expect(messages.at(-1)?.content).toBe("Hello, and on");
  for (const text of [processes, program.output, program.errors, platform.output])
    expect(text).not.toContain(KEY);
  expect(program.errors.trim().split("\n")).toHaveLength(3);
});
