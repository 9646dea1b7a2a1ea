import { runParley } from "./parley.ts";

// Whoever read our output may leave (`parley tail | head`); that is no reason to complain.
process.stdout.on("error", () => process.exit(0));
const exitCode = await runParley(process.argv.slice(2));
// What a slow reader has not taken yet would be lost with the process.
await Promise.all([process.stdout, process.stderr].map(taken));
process.exit(exitCode);

function taken(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
