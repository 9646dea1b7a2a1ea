import { openMemoryJournal } from "@parley/journal";
import { expect, it, onTestFinished } from "vitest";
import { taskStream } from "../task-events.ts";
import { streamTask } from "./task-stream.ts";

/** More than the journal keeps at hand for those who keep up. */
const MANY = 20_000;

it("a reader that falls behind still receives every event, in order and once (invariant 16)", async () => {
  const journal = openMemoryJournal({});
  onTestFinished(() => journal.close());
  const artifact = { artifactId: "a", parts: [{ text: "x" }] };
  const piece = { artifactUpdate: { taskId: "t", contextId: "c", artifact } };
  const status = { state: "TASK_STATE_COMPLETED", timestamp: "2025-01-01T00:00:00Z" };
  const append = (...payloads: object[]) => journal.append(taskStream("t"), payloads as never);

  await append(piece);
  const events = streamTask(journal, "t", { after: 0, endsAt: (state) => state === "TASK_STATE_COMPLETED" });
  const first = await events.next();
  await append(piece);
  const second = await events.next();
  for (let n = 2; n < MANY; n += 1_000) await append(...Array(1_000).fill(piece));
  await append({ statusUpdate: { taskId: "t", contextId: "c", status } });

  const seen = [first, second].flatMap(({ value }) => (value ?? []).map(({ index }) => index));
  for await (const batch of events) seen.push(...batch.map(({ index }) => index));
  expect(seen).toEqual(Array.from({ length: seen.length }, (_, n) => n + 1));
  expect(seen.length).toBeGreaterThan(MANY);
});
