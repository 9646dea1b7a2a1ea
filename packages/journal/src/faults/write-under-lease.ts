// Takes the lease, prints it, and appends under its epoch; prints ["ok", index] or ["error", code] for each.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { JournalError } from "../errors.ts";
import { openAt, type Where } from "./storage.ts";

const task: { readonly where: Where; readonly stream: string } = JSON.parse(process.argv[2] ?? "{}");
const print = (...line: unknown[]) => writeSync(1, `${JSON.stringify(line)}\n`);
const journal = await openAt(task.where);
const lease = await journal.acquire(task.stream);
lease.signal.addEventListener("abort", () => print("lost"));
print("lease", lease.epoch);
for (;;) {
  try {
    print("ok", await journal.append(task.stream, ["owner"], { epoch: lease.epoch }));
  } catch (error) {
    print("error", error instanceof JournalError ? error.code : String(error));
    await sleep(20);
  }
}
