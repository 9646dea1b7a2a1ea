import { readConfiguration, startPlatform } from "@parley/server";

/** For tests: the platform without its web client, in its own process; reports when its agents are up. */
const platform = await startPlatform(await readConfiguration(process.env));
await platform.agentsStarted;
process.stdout.write("ready\n");
