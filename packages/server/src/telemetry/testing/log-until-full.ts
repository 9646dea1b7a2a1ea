import { LogFile } from "../log-file.ts";

/** Logs four times the size of the folder's disk, then reports that it is still alive. */
const file = new LogFile({ dataFolder: process.argv[2] ?? "" });
for (let n = 0; n < 1_000; n++) {
  file.write(`${"x".repeat(1_023)}\n`);
  if (n % 50 === 0) await new Promise(setImmediate);
}
await file.close();
process.stdout.write("still here\n");
