import { readConfiguration, startPlatform } from "@parley/server";

/** For tests: the platform without its web client, in a process of its own; says when its agents are up. */
const platform = await startPlatform(await readConfiguration(process.env));
await platform.agentsStarted;
process.stdout.write("ready\n");
