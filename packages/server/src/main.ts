import { runPlatform } from "./run-platform.ts";

// Others may reach it, and need not show who they are: that is said where it is started, and in no file.
const isInsecure = process.argv.includes("--insecure");
await runPlatform({ ...process.env, ...(isInsecure && { PARLEY_AUTH: "insecure" }) });
