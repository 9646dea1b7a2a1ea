import { readFileSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const SAMPLE_MS = 20;

/** How a reader reads: everything, or a little and then nothing more. */
export type Reader = "normal" | "stalled";

/** Peak resident memory of the process, in MB, while it streamed this many chunks to one reader. */
export async function residentWhile(
  { url, pid, chunks }: { url: string; pid: number; chunks: number },
  reader: Reader,
): Promise<number> {
  let peak = 0;
  const sample = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(pid));
  }, SAMPLE_MS);
  const { taskId, close } = await openStream(url, chunks, reader);
  await untilEnded(url, taskId);
  // A server keeps what it buffers for a stalled reader even after the task has ended.
  await sleep(500);
  clearInterval(sample);
  close();
  return peak;
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}

function openStream(url: string, chunks: number, reader: Reader) {
  const message = { messageId: `load-${chunks}-${reader}`, role: "ROLE_USER", parts: [{ text: "go" }] };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: { message } });
  return new Promise<{ taskId: string; close: () => void }>((resolve, reject) => {
    const call = request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      agent: false,
    });
    call.on("response", (response) => {
      response.on("error", () => {});
      response.once("data", (data: Buffer) => {
        const [, taskId = ""] = /"task":\{"id":"([^"]+)"/.exec(data.toString()) ?? [];
        if (reader === "stalled") response.pause();
        else response.resume();
        resolve({ taskId, close: () => call.destroy() });
      });
    });
    call.on("error", reject).end(body);
  });
}

async function untilEnded(url: string, id: string): Promise<void> {
  for (;;) {
    const query = { jsonrpc: "2.0", id: 1, method: "ListTasks", params: { pageSize: 10 } };
    const headers = { "content-type": "application/json", connection: "close" };
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(query) });
    const { result } = (await answer.json()) as {
      result: { tasks: { id: string; status: { state: string } }[] };
    };
    const task = result.tasks.find((one) => one.id === id);
    if (task?.status.state === "TASK_STATE_COMPLETED") return;
    await sleep(100);
  }
}
