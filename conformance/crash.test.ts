import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it } from "vitest";
import { startAgentProcess } from "./testing/agent-process.ts";

const call = (url: string, method: string, params: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });

/** Reads whole frames until the connection breaks: id and data, byte for byte. */
async function framesUntilCut(response: Response, enough: () => void): Promise<string[]> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > 20_000) enough();
    }
  } catch {
    // Cut, as intended.
  }
  return text.split("\n\n").slice(0, -1);
}

it("invariants 2 and 6: after kill -9 every frame seen is in the log, and the task ends as interrupted", async () => {
  const folder = await testFolder();
  const first = await startAgentProcess(folder);
  const message = { messageId: "load-1000000", role: "ROLE_USER", parts: [{ text: "go" }] };
  let killed: Promise<void> | undefined;
  const stream = await call(first.url, "SendStreamingMessage", { message });
  const seen = await framesUntilCut(stream, () => {
    killed ??= first.kill();
  });
  await killed;
  const [, taskId = ""] = /"task":\{"id":"([^"]+)"/.exec(seen[0] ?? "") ?? [];

  const second = await startAgentProcess(folder);
  const { result } = (await (await call(second.url, "GetTask", { id: taskId })).json()) as {
    result: { status: { state: string; message: { parts: { text: string }[] } } };
  };
  expect([result.status.state, result.status.message.parts[0]?.text]).toEqual([
    "TASK_STATE_FAILED",
    "interrupted",
  ]);

  const [, firstId = ""] = /^id: (\d+)/.exec(seen[0] ?? "") ?? [];
  const replay = await call(second.url, "SubscribeToTask", { id: taskId }, { "last-event-id": firstId });
  const log = (await replay.text()).split("\n\n");
  expect(seen.length).toBeGreaterThan(10);
  expect(log.slice(0, seen.length - 1)).toEqual(seen.slice(1));
  await second.kill();
});
