import { runParley } from "./parley.ts";

// The reader of our output may stop early (`parley tail | head`), which is not an error.
process.stdout.on("error", () => process.exit(0));
const exitCode = await runParley(process.argv.slice(2));
// Output that a slow reader has not taken yet would be lost with the process.
await Promise.all([process.stdout, process.stderr].map(flush));
process.exit(exitCode);

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
