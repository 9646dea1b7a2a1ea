// Appends in every way there is, as fast as it can, and prints each acknowledgement: [stream, index, token].
import { writeSync } from "node:fs";
import type { Merge } from "../journal.ts";
import { openAt, type Where } from "./storage.ts";

interface Task {
  readonly where: Where;
  readonly name: string;
  readonly streams: readonly string[];
  /** Stops by itself after so many appends; without it, it waits for its killer. */
  readonly appends?: number;
}

const task: Task = JSON.parse(process.argv[2] ?? "{}");
const concatenate: Merge = (previous, next) => String(previous) + String(next);
const journal = await openAt(task.where);
let count = 0;

const acknowledge = (stream: string, index: number, token: string) =>
  writeSync(1, `${JSON.stringify([stream, index, token])}\n`);

async function appendSomething(stream: string): Promise<void> {
  const token = `<${task.name}.${++count}>`;
  const twin = `${stream}-twin`;
  if (count % 7 === 0) {
    const [first = 0, second = 0] = await journal.appendAll([
      { stream, events: [token] },
      { stream: twin, events: [token] },
    ]);
    acknowledge(stream, first, token);
    acknowledge(twin, second, token);
  } else if (count % 5 === 0) {
    acknowledge(stream, await journal.append(stream, [`${token}first`, token], { urgent: true }), token);
  } else {
    acknowledge(stream, await journal.append(stream, [token], { merge: concatenate }), token);
  }
}

async function keepAppending(stream: string): Promise<void> {
  while (count < (task.appends ?? Number.POSITIVE_INFINITY)) await appendSomething(stream);
}

await Promise.all([...task.streams, ...task.streams].map(keepAppending));
await journal.close();
