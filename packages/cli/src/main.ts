import { runParley } from "./parley.ts";

// Whoever read our output may leave (`parley tail | head`); that is no reason to complain.
process.stdout.on("error", () => process.exit(0));
process.exit(await runParley(process.argv.slice(2)));
