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
import { heldAnswers } from "../http/held-answers.ts";
import { onceDecided } from "../http/once-decided.ts";
import { type LoopShares, loopShareOf, strangerShare } from "../quotas/loop-shares.ts";
import { isPublicPath } from "./public-paths.ts";
import { refuseRequest } from "./refuse-request.ts";

const KEY = 'send "Authorization: Bearer KEY" with an API key, which "parley keys create" makes';

/** They answer everybody at all times; the second tells operators more. */
const LIVENESS = "/healthz";
const READINESS = "/readyz";

/** Who asks for what is for everybody: nothing is theirs, wherever they might get. */
const ANYBODY: Identity = { owner: "", workspace: "", role: "viewer", name: "anybody" };

/** Who may come in, and how they show it. */
export interface AccessOptions {
  /** Asked in this order; the first that knows the request decides. */
  readonly authenticators: readonly Authenticator[];
  /** Off: whoever shows nothing is the local user. */
  readonly isRequired: boolean;
  /** Where people sign in, if there is such a place. */
  readonly provider?: string;
  /** How fast each may call agents; what comes to the API is counted there. */
  readonly rates?: Pick<RequestRates, "count"> | undefined;
  /** Whose turn it is; without it nobody waits. */
  readonly turns?: Pick<LoopShares, "enterRequest" | "enterBody"> | undefined;
  /** Where programs that want to show a token learn who gives them, for those requests of which a protocol wants it said. */
  readonly resourceMetadata?: (request: IncomingMessage) => string | undefined;
  /** Records refusals. */
  readonly notes?: Pick<CountedAudit, "note">;
  /** Hears of requests that failed because of a mistake of ours. */
  readonly report: (error: unknown) => void;
}

/** Gives each request its identity, and lets none through that needs one and has none. */
export class Access {
  readonly #options: AccessOptions;
  readonly #identities = new WeakMap<IncomingMessage, Identity>();

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** Whether whoever comes must show who they are. */
  get isRequired(): boolean {
    return this.#options.isRequired;
  }

  /** Lets requests through to the routes, with their identities; the rest is answered with 401 in the words of its protocol. */
  guard(routes: RequestListener): RequestListener {
    return (request, response) => {
      if (!isPublicPath(request)) return void this.#admit(request, response, routes);
      this.#identities.set(request, ANYBODY);
      if (request.url === LIVENESS) return routes(request, response);
      if (request.url !== READINESS) return void this.#admitStranger(request, response, routes);
      void this.#identify(request)
        .then((identity) => this.#identities.set(request, identity))
        .catch((error: unknown) => this.#noteCredential(request, error))
        .then(() => routes(request, response));
    };
  }

  /** Who sends this request, which was let through. */
  identityOf(request: IncomingMessage): Identity {
    const identity = this.#identities.get(request);
    if (identity) return identity;
    throw new Error("A request came by a way that nobody guards");
  }

  /** The same for an agent's operations: its tasks, contexts and webhooks are this caller's. */
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
      // Whoever guesses keys does so at the expense of the address.
      const known = await this.#identify(request).catch(async (error: unknown) => {
        await this.#enter(strangerShare(clientAddressOf(request)), response);
        throw error;
      });
      const identity = known === LOCAL_USER ? LOCAL_USER : { ...known, address: clientAddressOf(request) };
      this.#count(identity, request);
      this.#identities.set(request, identity);
      onceDecided(response, () => this.#noteRole(identity, request, response));
      if (identity.link === undefined) vouchFor(request, response);
      await this.#enter(loopShareOf(identity), response);
      await heldAnswers.enter(loopShareOf(identity).user, request, response);
      checkNotEnded(identity);
    } catch (error) {
      refuseRequest(request, response, error, this.#options.resourceMetadata?.(request));
      this.#noteCredential(request, error);
      if (!(error instanceof NotAuthenticatedError || error instanceof Problem)) this.#options.report(error);
      return;
    }
    currentActor.run(this.identityOf(request), routes, request, response);
  }

  async #admitStranger(request: IncomingMessage, response: ServerResponse, routes: RequestListener) {
    try {
      await this.#enter(strangerShare(clientAddressOf(request)), response);
    } catch (error) {
      return refuseRequest(request, response, error);
    }
    routes(request, response);
  }

  /** Waits for the turn, which lasts as long as the answer. */
  async #enter(share: Share, response: ServerResponse): Promise<void> {
    const turn = await this.#options.turns?.enterRequest(share);
    if (turn) response.once("close", () => turn[Symbol.dispose]());
  }

  /** Records a credential that was refused. */
  #noteCredential(request: IncomingMessage, error: unknown): void {
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

  #noteRole(identity: Identity, { method, url = "" }: IncomingMessage, { statusCode }: ServerResponse): void {
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
    // Most of what comes by POST sets the supervisor to work.
    if (isAgentPath(path) || path.startsWith(OFFLINE_MODEL_PATH))
      this.#options.rates?.count(identity, method === "POST" ? "commands" : "reads");
  }

  async #identify(request: IncomingMessage): Promise<Identity> {
    for (const authenticator of this.#options.authenticators) {
      const identity = await authenticator.identify(request);
      if (identity) return identity;
    }
    if (!this.isRequired) return LOCAL_USER;
    const { authorization, "x-api-key": key } = request.headers;
    const hasCredential = authorization !== undefined || key !== undefined;
    const { provider } = this.#options;
    const advice = provider ? `Sign in with ${provider}, or ${KEY}` : `Show who you are: ${KEY}`;
    throw new NotAuthenticatedError(hasCredential ? `What you show is not known here. ${advice}` : advice, {
      hasCredential,
    });
  }
}
