import type { Client } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { Pace } from "../nodes/testing/pace.ts";
import { numberedTokens, startTaskPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { ApiClient } from "../sessions/testing/api-client.ts";
import { newDatabase, RecordPlatform } from "../sessions/testing/record-platform.ts";
import { startAlternatingProxy } from "./testing/alternating-proxy.ts";
import { connectedClient } from "./testing/mcp-platform.ts";

const TOKENS = numberedTokens(60);
const WHOLE = TOKENS.join("");

interface Answer {
  readonly answer: string;
  readonly session: string;
  readonly run: string;
  readonly state: string;
}

const called = async (client: Client, ...given: Parameters<Client["callTool"]>) =>
  (await client.callTool(...given)).structuredContent as unknown as Answer;

const ask = (message: string, more: object = {}) => ({ name: "ask_slow", arguments: { message }, ...more });

it("two nodes behind one address act as one MCP server: each lists, streams, asks, cancels and continues what the other started, even when that one drains or is killed (+12, invariants 6, 7, 12)", {
  timeout: 300_000,
}, async () => {
  let pace = new Pace(2_000);
  const slow = await during(
    startTaskPeer(
      async (task, text) => {
        task.status("WORKING");
        if (text === "Ask me") await task.ask("Which way?");
        for (const [place, piece] of TOKENS.entries()) {
          const result = { artifactId: "result", name: "result", parts: [{ text: piece }] };
          task.piece(result, { append: place > 0, lastChunk: place === TOKENS.length - 1 });
          if (place >= 5) await pace.pause();
        }
        task.status("COMPLETED");
      },
      { name: "slow" },
    ),
  );
  const database = await newDatabase("Postgres");
  const [first, second] = await Promise.all([
    RecordPlatform.start({ slow }, { database }),
    RecordPlatform.start({ slow }, { database }),
  ]);
  const proxy = await startAlternatingProxy([first.url, second.url]);
  const client = await connectedClient(proxy.url, {
    ...{ version: "2025-11-25", capabilities: { elicitation: {} } },
  });
  client.setRequestHandler("elicitation/create", async () => ({
    action: "accept",
    content: { text: "Left" },
  }));
  const newest = await connectedClient(proxy.url);
  for (const one of [client, client, newest, newest])
    expect((await one.listTools()).tools.map(({ name }) => name)).toContain("ask_slow");
  const nodeOf = (words: string) => proxy.taken.findLast(({ what }) => what.includes(words))?.node;
  const runsOf = async (session: string) => (await new ApiClient(proxy.url).runs(session)).length;

  // A question asked by one node is answered on the other.
  pace.hurry();
  const asked = await called(client, ask("Ask me"));
  expect(asked).toMatchObject({ state: "completed", answer: WHOLE });
  expect(nodeOf("approval.")).not.toBe(nodeOf("Ask me"));

  // A call is cancelled on the node that does not stream it.
  pace = new Pace(2_000);
  const abort = new AbortController();
  const progressValues: number[] = [];
  const stopped = client.callTool(ask("Until you are stopped"), {
    ...{ signal: abort.signal, onprogress: ({ progress }) => void progressValues.push(progress) },
  });
  await expect.poll(() => progressValues.length).toBeGreaterThan(0);
  abort.abort("enough");
  await expect(stopped).rejects.toThrow();
  await expect.poll(() => slow.canceled.length).toBe(1);
  expect(nodeOf("notifications/cancelled")).not.toBe(nodeOf("Until you are stopped"));

  // The streaming node drains, then one is killed: both kinds of client get the whole answer of one run.
  for (const end of ["end", "kill"] as const) {
    pace = new Pace(2_000);
    const progress2025: number[] = [];
    const progress2026: number[] = [];
    const words = `Speak, and ${end}`;
    const running = called(client, ask(words), {
      onprogress: ({ progress }) => void progress2025.push(progress),
    });
    await expect.poll(() => progress2025.length).toBeGreaterThan(0);
    const node = nodeOf(words) === first.url ? first : second;
    const keyed = ask(`${words} again`, { _meta: { "parley/idempotency-key": words } });
    let cut = called(newest, keyed, { onprogress: ({ progress }) => void progress2026.push(progress) });
    cut.catch(() => undefined);
    await expect.poll(() => progress2026.length).toBeGreaterThan(0);
    await node[end]();
    if (nodeOf(`${words} again`) === node.url) {
      await expect(cut).rejects.toThrow();
      cut = called(newest, keyed);
    }
    pace.hurry();
    const whole = await running;
    expect(whole).toMatchObject({ state: "completed", answer: WHOLE });
    expect(progress2025).toEqual([...new Set(progress2025)].toSorted((one, other) => one - other));
    expect(await cut).toMatchObject({ state: "completed", answer: WHOLE });
    // The next to be killed may be the other one.
    if (end === "end") await node.restart();
    expect(await runsOf(whole.session)).toBe(1);
    expect(await runsOf((await cut).session)).toBe(1);
  }
});
