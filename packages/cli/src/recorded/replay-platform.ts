import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "@parley/client";
import {
  type Configuration,
  readConfiguration,
  serveExecutor,
  startPlatform,
  startSoleAgent,
} from "@parley/server";
import { RecordedExecutor } from "./recorded-executor.ts";
import type { RecordedAgent, Recording } from "./recording.ts";

export interface ReplayPlatformOptions {
  /** The supervisor's model; by default the recorded one if it is offline, else the configured one. */
  readonly model?: string | undefined;
  /** The files of agents that run for real, by name. */
  readonly real: ReadonlyMap<string, string>;
  readonly environment: NodeJS.ProcessEnv;
}

/** A temporary platform for one recording. */
export interface ReplayPlatform {
  readonly client: ApiClient;
  readonly model: string;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

/** Starts a platform in a temporary folder with only the recorded agents; cleans up if that fails. */
export async function startReplayPlatform(
  recording: Recording,
  options: ReplayPlatformOptions,
): Promise<ReplayPlatform> {
  const folder = await mkdtemp(join(tmpdir(), "parley-verify-"));
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    const configuration = await configurationFor(recording, folder, options);
    const agents: Record<string, { readonly url: string }> = {};
    for (const agent of recording.agents) {
      const file = options.real.get(agent.name);
      const served = file
        ? await realAgent(agent.name, file, configuration)
        : await recordedAgent(agent, recording);
      stops.push(() => served.stop());
      agents[agent.name] = { url: served.url };
    }
    await mkdir(configuration.agentsFolder);
    await writeFile(join(configuration.agentsFolder, "agents.json"), JSON.stringify({ agents }));
    const platform = await startPlatform(configuration);
    stops.push(() => platform.stop());
    await platform.agentsStarted;
    const client = new ApiClient({ baseUrl: `http://127.0.0.1:${platform.port}` });
    return { client, model: configuration.model, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function configurationFor(
  { model: recorded }: Recording,
  folder: string,
  { model, environment }: ReplayPlatformOptions,
): Promise<Configuration> {
  // A test does not depend on who may access the user's own platform.
  const own = { PARLEY_HOST: undefined, PARLEY_AUTH: "off", PARLEY_PUBLIC_URL: undefined };
  const configured = await readConfiguration({ ...environment, ...own });
  const isOffline = recorded?.split(":", 1)[0] === "offline";
  return {
    ...configured,
    // A test must not touch the journal of the user's own platform.
    port: 0,
    databaseUrl: undefined,
    logLevel: environment.PARLEY_LOG ? configured.logLevel : "silent",
    dataFolder: join(folder, "data"),
    agentsFolder: join(folder, "agents"),
    model: model ?? (isOffline ? "offline" : configured.model),
  };
}

async function recordedAgent({ name, description, skills }: RecordedAgent, recording: Recording) {
  const report = (error: unknown) => process.stderr.write(`The recorded agent ${name} failed: ${error}\n`);
  const executor = new RecordedExecutor(name, recording);
  return serveExecutor({ name, description, skills, executor, report });
}

async function realAgent(name: string, file: string, configuration: Configuration) {
  const { dataFolder } = configuration;
  const own = { ...configuration, agentsFolder: join(file, ".."), dataFolder: `${dataFolder}-${name}` };
  const { status, stop } = await startSoleAgent(own, { file, port: 0 });
  return { url: status.agents[0]?.url ?? "", stop };
}
