import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type CallerIdentity, isAgentPath, type Share } from "@parley/a2a";
import { Problem } from "@parley/adapters";
import {
  type Authenticator,
  apiKeyPrefix,
  type CountedAudit,
  checkNotEnded,
  currentActor,
  type Identity,
  LOCAL_USER,
  NotAuthenticatedError,
  ownerKey,
} from "@parley/identity";
import { OFFLINE_MODEL_PATH } from "@parley/models";
import type { RequestRates } from "../api/request-rates.ts";
import { clientAddressOf } from "../http/client-address.ts";
import { vouchFor } from "../http/connections.ts";
import { heldAnswers, onHeadersWritten } from "../http/held-answers.ts";
import { type LoopShares, loopShareOf, unauthenticatedShare } from "../quotas/loop-shares.ts";
import { refuseRequest } from "./refuse-request.ts";

const KEY = 'send "Authorization: Bearer KEY" with an API key, created by "parley keys create"';

/** Probes answer everybody at all times; readiness shows operators more. */
const LIVENESS = "/healthz";
const READINESS = "/readyz";

/** The identity of requests to public paths, which owns nothing. */
const ANYBODY: Identity = { owner: "", workspace: "", role: "viewer", name: "anybody" };

/** How requests are authenticated and limited. */
export interface AccessOptions {
  /** Asked in this order; the first that recognises the request decides. */
  readonly authenticators: readonly Authenticator[];
  /** False: requests without credentials come from the local user. */
  readonly isRequired: boolean;
  /** The host of the identity provider, if there is one. */
  readonly provider?: string;
  /** Limits calls of agents; the API counts its own requests. */
  readonly rates?: Pick<RequestRates, "count"> | undefined;
  /** Shares the event loop; without it nobody waits. */
  readonly turns?: Pick<LoopShares, "enterRequest" | "enterBody"> | undefined;
  /** The URL of the OAuth metadata for `WWW-Authenticate`, where the protocol of a request wants it. */
  readonly resourceMetadata?: (request: IncomingMessage) => string | undefined;
  /** Records refusals. */
  readonly notes?: Pick<CountedAudit, "note">;
  /** Reports unexpected errors. */
  readonly report: (error: unknown) => void;
}

/** Authenticates requests, and refuses those that need an identity and have none. */
export class Access {
  readonly #options: AccessOptions;
  readonly #identities = new WeakMap<IncomingMessage, Identity>();

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  get isRequired(): boolean {
    return this.#options.isRequired;
  }

  /** Passes authenticated requests to the routes; answers others with 401 in the format of their protocol. */
  guard(routes: RequestListener): RequestListener {
    return (request, response) => {
      if (!isPublicPath(request)) return void this.#admit(request, response, routes);
      this.#identities.set(request, ANYBODY);
      if (request.url === LIVENESS) return routes(request, response);
      if (request.url !== READINESS) return void this.#admitPublic(request, response, routes);
      void this.#identify(request)
        .then((identity) => this.#identities.set(request, identity))
        .catch((error: unknown) => this.#auditRefusedCredential(request, error))
        .then(() => routes(request, response));
    };
  }

  /** The identity of a request that was admitted. */
  identityOf(request: IncomingMessage): Identity {
    const identity = this.#identities.get(request);
    if (identity) return identity;
    throw new Error("The request was not admitted by Access");
  }

  /** The identity for an agent's operations, which owns tasks, contexts and webhooks. */
  callerOf(request: IncomingMessage): CallerIdentity {
    const identity = this.identityOf(request);
    const { role, ended } = identity;
    const { turns } = this.#options;
    return {
      owner: ownerKey(identity),
      authenticated: identity !== LOCAL_USER && identity !== ANYBODY,
      readOnly: role === "viewer",
      ...(ended && { ended }),
      ...(turns && { bodyTurn: () => turns.enterBody(loopShareOf(identity)) }),
    };
  }

  async #admit(request: IncomingMessage, response: ServerResponse, routes: RequestListener): Promise<void> {
    try {
      // Guessed keys are charged to the client's address.
      const known = await this.#identify(request).catch(async (error: unknown) => {
        await this.#enter(unauthenticatedShare(clientAddressOf(request)), response);
        throw error;
      });
      const identity = known === LOCAL_USER ? LOCAL_USER : { ...known, address: clientAddressOf(request) };
      this.#count(identity, request);
      this.#identities.set(request, identity);
      onHeadersWritten(response, () => this.#auditRefusedRole(identity, request, response));
      if (identity.link === undefined) vouchFor(request, response);
      await this.#enter(loopShareOf(identity), response);
      await heldAnswers.enter(loopShareOf(identity).user, request, response);
      checkNotEnded(identity);
    } catch (error) {
      refuseRequest(request, response, error, this.#options.resourceMetadata?.(request));
      this.#auditRefusedCredential(request, error);
      if (!(error instanceof NotAuthenticatedError || error instanceof Problem)) this.#options.report(error);
      return;
    }
    currentActor.run(this.identityOf(request), routes, request, response);
  }

  async #admitPublic(request: IncomingMessage, response: ServerResponse, routes: RequestListener) {
    try {
      await this.#enter(unauthenticatedShare(clientAddressOf(request)), response);
    } catch (error) {
      return refuseRequest(request, response, error);
    }
    routes(request, response);
  }

  /** Waits for a turn that lasts as long as the response. */
  async #enter(share: Share, response: ServerResponse): Promise<void> {
    const turn = await this.#options.turns?.enterRequest(share);
    if (turn) response.once("close", () => turn[Symbol.dispose]());
  }

  #auditRefusedCredential(request: IncomingMessage, error: unknown): void {
    if (!(error instanceof NotAuthenticatedError) || !error.hasCredential) return;
    const { authorization = "", "x-api-key": other = "" } = request.headers;
    const prefix = apiKeyPrefix(authorization.replace(/^Bearer +/i, "")) ?? apiKeyPrefix(String(other));
    const stranger = {
      owner: "",
      name: "unknown",
      workspace: LOCAL_USER.workspace,
      address: clientAddressOf(request),
    };
    const details = { reason: error.message };
    const action = prefix === undefined ? "login.refused" : "key.refused";
    this.#options.notes?.note(stranger, { action, target: prefix ?? "unknown", details });
  }

  #auditRefusedRole(
    identity: Identity,
    { method, url = "" }: IncomingMessage,
    { statusCode }: ServerResponse,
  ): void {
    if (statusCode !== 403 || identity.link !== undefined) return;
    const [path = ""] = url.split("?", 1);
    const target = `${method} ${path.split("/").slice(0, 4).join("/")}`.slice(0, 200);
    this.#options.notes?.note(identity, {
      action: "role.refused",
      target,
      details: { role: identity.role },
    });
  }

  #count(identity: Identity, { url = "", method = "" }: IncomingMessage): void {
    const [path = ""] = url.split("?");
    // Most POST requests start the supervisor.
    if (isAgentPath(path) || path.startsWith(OFFLINE_MODEL_PATH))
      this.#options.rates?.count(identity, method === "POST" ? "commands" : "reads");
  }

  async #identify(request: IncomingMessage): Promise<Identity> {
    for (const authenticator of this.#options.authenticators) {
      const identity = await authenticator(request);
      if (identity) return identity;
    }
    if (!this.isRequired) return LOCAL_USER;
    const { authorization, "x-api-key": key } = request.headers;
    const hasCredential = authorization !== undefined || key !== undefined;
    const { provider } = this.#options;
    const advice = provider ? `Sign in with ${provider}, or ${KEY}` : `Authentication required: ${KEY}`;
    throw new NotAuthenticatedError(hasCredential ? `Unknown credentials. ${advice}` : advice, {
      hasCredential,
    });
  }
}

/** Paths that reveal nothing about anybody: probes, the web client's files, the documentation, the API's description, the public agent card, logins. */
const PUBLIC = [
  /^\/(healthz|readyz|status\.css)$/,
  /^\/(s|docs)(\/|$)/,
  /^\/api\/v1\/(openapi\.json|docs)$/,
  /^\/\.well-known\/(agent-card|agent)\.json$/,
  /^\/\.well-known\/oauth-protected-resource(\/mcp)?$/,
  /^\/auth\/[a-z-]+$/,
];

/** Whether a request needs no authentication. */
function isPublicPath({ url = "", method = "" }: Pick<IncomingMessage, "url" | "method">): boolean {
  const [path = ""] = url.split("?");
  if (path === "/") return method === "GET" || method === "HEAD";
  return PUBLIC.some((pattern) => pattern.test(path));
}
