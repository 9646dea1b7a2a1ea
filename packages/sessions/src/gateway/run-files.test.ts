import type { Message } from "@parley/a2a";
import { expect, it } from "vitest";
import type { StoredFile } from "../domain/session-event.ts";
import { startAgent, startGateway } from "./testing/gateway.ts";
import type { ServedAgentOptions } from "./testing/served-agent.ts";

/** A session whose first message names these files, answered by an agent; every byte that is read from a blob is counted. */
async function asked(files: readonly Partial<StoredFile>[], options: Partial<ServedAgentOptions> = {}) {
  const heard: Message[] = [];
  const agent = await startAgent({
    ...options,
    executor: {
      async execute(context) {
        heard.push(context.message);
        await context.artifact({ name: "current_result" }).text("Seen");
        return undefined;
      },
    },
  });
  const { sessions, journal } = await startGateway();
  let bytes = 0;
  const get = journal.blobs.get.bind(journal.blobs);
  journal.blobs.get = async (hash) => {
    const content = await get(hash);
    bytes += content.byteLength;
    return content;
  };
  const stored = files.map(async ({ size = 0, blob, ...file }): Promise<StoredFile> => {
    const { hash } = await journal.blobs.put(Buffer.alloc(size, "a"), "text/plain");
    return { name: "a.txt", mediaType: "text/plain", size, blob: blob ?? hash, ...file };
  });
  await sessions.execute("s", { type: "create", workspace: "w", owner: "ann" });
  await sessions.execute("s", {
    ...{ type: "postMessage", messageId: "m", content: "See", files: await Promise.all(stored) },
    run: { runId: "r", agent: "agent", agentUrl: agent.url, contextId: "r" },
  });
  const { runs } = await sessions.ended("s", "r");
  return { sessions, agent, heard, state: runs.get("r")?.status, read: () => bytes };
}

it("a run carries a file once, however often its message names it", async () => {
  const { heard, read } = await asked(Array.from({ length: 100 }, () => ({ size: 1_000 })));
  expect(heard[0]?.parts).toHaveLength(2);
  expect(read()).toBe(1_000);
});

it("a run names the files that its agent has no room for, without reading them, and goes on", async () => {
  const { heard, state, read } = await asked([
    { name: "large.txt", size: 900_000 },
    { name: "small.txt", size: 5_000 },
    { name: "medium.txt", size: 740_000 },
    { name: "gone.txt", size: 40 * 1_048_576, blob: "0".repeat(64) },
  ]);
  expect(state).toBe("completed");
  expect(heard[0]?.parts.map(({ filename, text }) => filename ?? text)).toEqual([
    "See",
    "[large.txt, text/plain, 900000 bytes: too large to send]",
    "small.txt",
    "medium.txt",
    "[gone.txt, text/plain, 41943040 bytes: too large to send]",
  ]);
  expect(read()).toBe(745_000);
});

it.each([true, false])(
  "a run reads a bounded number of bytes of files that came with earlier messages (extension spoken: %s)",
  async (speaksExtension) => {
    const first = Array.from({ length: 30 }, (_, at) => ({ name: `${at}.txt`, size: 90_000 + at }));
    const { sessions, agent, heard, read } = await asked(first, { speaksExtension });
    const before = read();
    const runId = await sessions.ask("s", "And now?", agent);
    expect((await sessions.ended("s", runId)).runs.get(runId)?.status).toBe("completed");
    expect(read() - before).toBeLessThanOrEqual(240_000);
    const told = JSON.stringify(heard.at(-1));
    expect(told).toContain("[0.txt, text/plain, 90000 bytes]:\\n```\\naaaa");
    expect(told).toContain("[19.txt, text/plain, 90019 bytes]");
  },
);
