import { runPlatform } from "./run-platform.ts";

await runPlatform(process.env, process.argv.slice(2));
