import type { RequestListener } from "node:http";
import { isAgentPath } from "@parley/a2a";
import { SUPERVISOR } from "@parley/supervisor";
import { type AgentsStatus, WatchedAgents } from "./agents/watched-agents.ts";
import { takesAnyType } from "./api/routes/file-routes.ts";
import type { Configuration } from "./configuration.ts";
import { layFoundation } from "./foundation.ts";
import { closeServer } from "./http/close-server.ts";
import { guardedServer } from "./http/guarded-server.ts";
import { listen } from "./http/listen.ts";
import { mainRoutes } from "./http/main-routes.ts";
import type { WebClientSource } from "./http/web-client.ts";
import { once } from "./once.ts";
import { type OpenPeople, openPeople } from "./people/open-people.ts";
import { statusOf } from "./platform-status.ts";
import { Supervision } from "./supervision.ts";

/** Agents of ours that share the journal and are in no file. */
const AGENTS_WITHOUT_FILES = [SUPERVISOR];

/** Everything that runs in this process. */
export interface Platform {
  readonly port: number;
  /** Resolves when every agent is up or has loudly failed. */
  readonly agentsStarted: Promise<AgentsStatus>;
  /** Ends cleanly: no new requests, open ones get a moment, the journal is closed last. */
  stop(): Promise<void>;
}

/** Starts the journal and the main port, then the agents and their supervisor; throws if one of the first two cannot. */
export async function startPlatform(
  configuration: Configuration,
  { webClient }: { readonly webClient?: WebClientSource } = {},
): Promise<Platform> {
  const { host, port } = configuration;
  const foundation = await layFoundation(configuration);
  const { log, metrics } = foundation;
  let agents: WatchedAgents | undefined;
  let supervision: Supervision | undefined;
  let people: OpenPeople | undefined;
  let isClosing = false;
  const status = statusOf(configuration, foundation, () => agents?.status());
  const routes = mainRoutes({ status, metrics, log, ...(webClient && { webClient }) });
  // Whoever comes while the rest is opened waits for it, and is not told that there is nothing.
  const opened = Promise.withResolvers<RequestListener>();
  const listener: RequestListener = async (request, response) => (await opened.promise)(request, response);
  const server = guardedServer(listener, {
    checksType: (path) => isAgentPath(path) || takesAnyType(path),
  });
  const close = async () => {
    isClosing = true;
    // First the one who delegates: what its agents leave half done because we end is no failure of theirs.
    await Promise.all([closeServer(server), supervision?.stop()]);
    await agents?.stop();
    await people?.stop();
    await foundation.close();
  };
  const stop = once(async () => {
    await close();
    log.info("stopped");
  });
  try {
    const bound = await listen(server, { host, port });
    log.info({ host, port: bound }, "listening");
    const { journal } = foundation;
    people = await openPeople({ journal, log, egress: configuration.egress, oidc: configuration.oidc });
    const supervisor = await Supervision.open(configuration, foundation, {
      people,
      url: `http://localhost:${bound}`,
      hosted: () => agents?.status().agents ?? [],
    });
    supervision = supervisor;
    opened.resolve(people.listener(supervisor.listener(routes)));
    agents = await WatchedAgents.open(configuration, foundation, {
      others: AGENTS_WITHOUT_FILES,
      onChange: (running) => supervisor.knows(running),
    });
    const agentsStarted = agents.started.then(async (running) => {
      // Agents are done starting when they are ended, too.
      if (!isClosing) await supervisor.start();
      return running;
    });
    return { port: bound, agentsStarted, stop };
  } catch (error) {
    await close();
    throw error;
  }
}
