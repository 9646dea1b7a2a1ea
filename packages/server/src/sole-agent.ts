import { existsSync } from "node:fs";
import type { RequestListener } from "node:http";
import { basename } from "node:path";
import { problemText } from "@parley/agent";
import type { AgentArguments } from "./agent-configuration.ts";
import { type AgentsStatus, WatchedAgents } from "./agents/watched-agents.ts";
import type { Configuration } from "./configuration.ts";
import { mainRoutes } from "./http/application.ts";
import { statusOf } from "./platform-status.ts";
import { once } from "./run-program.ts";
import { openRuntime } from "./runtime.ts";
import { StartError } from "./start-error.ts";

/** The only agent of this process. */
export interface SoleAgent {
  /** Its status after starting. */
  readonly status: AgentsStatus;
  stop(): Promise<void>;
}

/** Starts the agent of one file, with status page and probes on its port; throws a `StartError`. */
export async function startSoleAgent(
  configuration: Configuration,
  { file, port }: Pick<AgentArguments, "file" | "port">,
): Promise<SoleAgent> {
  if (!existsSync(file)) throw new StartError(`There is no file ${file}`);
  const runtime = await openRuntime(configuration);
  const { log, metrics } = runtime;
  let agents: WatchedAgents | undefined;
  const status = statusOf(configuration, runtime, () => agents?.status());
  const next: RequestListener = mainRoutes({ status, metrics, log });
  const close = async () => {
    await agents?.stop();
    await runtime.close();
  };
  const stop = once(async () => {
    await close();
    log.info("stopped");
  });
  try {
    agents = await WatchedAgents.open(configuration, runtime, { only: basename(file), next, port });
    return { status: checked(await agents.started, file), stop };
  } catch (error) {
    await close();
    throw error;
  }
}

function checked(status: AgentsStatus, file: string): AgentsStatus {
  const [agent] = status.agents;
  if (agent?.state === "failed") throw new StartError(agent.troubles.join("\n"));
  if (agent) return status;
  throw new StartError(status.problems.map(problemText).join("\n") || `${file} does not define an agent`);
}
