// npm run agent -- FILE [--port N] [--data FOLDER]: one agent alone, in a process of its own.
import { runSoleAgent } from "./run-sole-agent.ts";

await runSoleAgent(process.argv.slice(2), process.env);
