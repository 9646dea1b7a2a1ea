import type { IncomingMessage, RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isAgentPath } from "@parley/a2a";
import { adapterAt, guardRefusal } from "@parley/adapters";
import { FolderProof, type OpenIdentity, openIdentity } from "@parley/identity";
import { SUPERVISOR } from "@parley/registry";
import { Sessions } from "@parley/sessions";
import { openAccess } from "./access/open-access.ts";
import { basePathOf } from "./admission.ts";
import { type AgentsStatus, WatchedAgents } from "./agents/watched-agents.ts";
import { takesAnyType } from "./api/routes/file-routes.ts";
import type { Configuration } from "./configuration.ts";
import { SECURITY_HEADERS } from "./http/answer-parts.ts";
import { mainRoutes } from "./http/application.ts";
import { clientAddressOf, networkOf } from "./http/client-address.ts";
import { guardedServer } from "./http/guarded-server.ts";
import { closeServer, listen } from "./http/listen.ts";
import { htmlPage } from "./http/status-page.ts";
import type { WebClientSource } from "./http/web-client.ts";
import { providerFetch } from "./oidc-settings.ts";
import { statusOf } from "./platform-status.ts";
import { once } from "./run-program.ts";
import { openRuntime } from "./runtime.ts";
import { Supervision } from "./supervision.ts";

/** Agents that share the journal and have no file. */
const AGENTS_WITHOUT_FILES = [SUPERVISOR];

/** Terminals wait about two seconds; on Postgres hundreds of leases may have to be released. */
function stopWithinMs({ databaseUrl, drainMs }: Configuration): number {
  return drainMs + (databaseUrl ? 8_000 : 1_900);
}

/** The running platform. */
export interface Platform {
  readonly port: number;
  /** Resolves when every agent is up or has failed. */
  readonly agentsStarted: Promise<AgentsStatus>;
  readonly stopWithinMs: number;
  /** Shuts down gracefully: hands work over, gives open requests a moment, and closes the journal last. */
  stop(): Promise<void>;
}

/** Starts the journal and the main port, which may throw, then the agents and the supervisor. */
export async function startPlatform(
  configuration: Configuration,
  { webClient }: { readonly webClient?: WebClientSource } = {},
): Promise<Platform> {
  const { host, port, admission, drainMs } = configuration;
  const runtime = await openRuntime(configuration);
  const { log, metrics } = runtime;
  let agents: WatchedAgents | undefined;
  let supervision: Supervision | undefined;
  let identityToClose: OpenIdentity | undefined;
  let proof: FolderProof | undefined;
  let isClosing = false;
  const status = statusOf(configuration, runtime, () => {
    const standing = agents?.status();
    // Not ready before the supervisor knows its agents.
    return standing && { ...standing, started: standing.started && supervision?.isStarted === true };
  });
  // Requests that arrive during the start wait for the routes.
  const opened = Promise.withResolvers<RequestListener>();
  const listener: RequestListener = async (request, response) => (await opened.promise)(request, response);
  const server = guardedServer(listener, {
    hosts: admission.hosts,
    origins: admission.origins,
    trustedProxies: admission.trustedProxies,
    isAuthenticated: admission.isRequired,
    basePath: basePathOf(admission),
    isHttps: admission.publicUrl?.startsWith("https:") === true,
    checksType: (path) => isAgentPath(path) || takesAnyType(path) || adapterAt(path) !== undefined,
    refusalAt: guardRefusal,
  });
  // Load balancers need a while to notice.
  const drain = async () => {
    isClosing = true;
    runtime.drain();
    if (drainMs === 0) return;
    await supervision?.stop();
    await agents?.suspend();
    await sleep(drainMs);
  };
  const close = async () => {
    isClosing = true;
    // The supervisor first, so that it does not see its agents fail.
    await Promise.all([closeServer(server), supervision?.stop()]);
    await agents?.stop();
    await identityToClose?.close();
    await proof?.remove();
    await runtime.close();
  };
  const stop = once(async () => {
    log.info("stopping");
    await drain();
    await close();
    log.info("stopped");
  });
  try {
    const bound = await listen(server, { host, port });
    log.info({ host, port: bound }, "listening");
    // With Postgres, keys can be created without the server.
    proof =
      admission.isRequired && !configuration.databaseUrl
        ? await FolderProof.write(configuration.dataFolder, { host, port: bound })
        : undefined;
    const { journal } = runtime;
    const { oidc, egress } = configuration;
    const identity = await openIdentity({
      ...{ journal, log, oidc, proof, sessions: new Sessions(journal) },
      fetchFor: (issuer) => providerFetch(issuer, egress),
      edge: {
        ...{ basePath: basePathOf(admission), securityHeaders: SECURITY_HEADERS, page: htmlPage },
        ...{ addressOf: clientAddressOf, networkOf },
      },
    });
    identityToClose = identity;
    const access = await openAccess(configuration, runtime, identity);
    const { internal, security } = access;
    const supervisor = await Supervision.open(configuration, runtime, {
      identity,
      url: `http://localhost:${bound}`,
      access,
      hosted: () => agents?.status().agents ?? [],
    });
    supervision = supervisor;
    const identityOf = (request: IncomingMessage) => access.access.identityOf(request);
    const { servesOfflineModel } = configuration;
    const routes = mainRoutes({
      ...{ status, metrics, log, identityOf, servesOfflineModel },
      basePath: basePathOf(admission),
      ...(webClient && { webClient }),
    });
    opened.resolve(access.access.guard(identity.listener(supervisor.listener(routes))));
    agents = await WatchedAgents.open(configuration, runtime, {
      others: AGENTS_WITHOUT_FILES,
      ...(internal && { keyOf: (agent) => internal.of(agent) }),
      ...(security && { security }),
      onChange: (running) => supervisor.updateHosted(running),
    });
    const agentsStarted = agents.started.then(async (running) => {
      // Stopping also ends the start of agents.
      if (!isClosing) await supervisor.start();
      return running;
    });
    return { port: bound, agentsStarted, stopWithinMs: stopWithinMs(configuration), stop };
  } catch (error) {
    await close();
    throw error;
  }
}
