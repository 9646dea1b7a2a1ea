import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type CallerIdentity, isAgentPath } from "@parley/a2a";
import { OFFLINE_MODEL_PATH } from "@parley/agent";
import { Problem } from "../api/problem.ts";
import type { RequestRates } from "../api/request-rates.ts";
import { clientAddressOf } from "../http/client-address.ts";
import { vouchFor } from "../http/connections.ts";
import { prefixOf } from "./api-key-text.ts";
import type { CountedAudit } from "./counted-audit.ts";
import { type Authenticator, type Identity, LOCAL } from "./identity.ts";
import { NotAuthenticatedError } from "./not-authenticated-error.ts";
import { isPublicPath } from "./public-paths.ts";
import { refuseRequest } from "./refuse-request.ts";

const KEY = 'send "Authorization: Bearer KEY" with an API key, which "parley keys create" makes';

/** It answers everybody, and operators with more. */
const PROBE = "/readyz";

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
  /** Where programs that want to show a token learn who gives them, for those requests of which a protocol wants it said. */
  readonly resourceMetadata?: (request: IncomingMessage) => string | undefined;
  /** What is noted of refusals. */
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

  /** Lets requests through to the routes, with their identities; the rest is answered with 401 in the words of its door. */
  guard(routes: RequestListener): RequestListener {
    return (request, response) => {
      if (!isPublicPath(request)) return void this.#admit(request, response, routes);
      this.#identities.set(request, ANYBODY);
      if (request.url !== PROBE) return routes(request, response);
      void this.#identify(request)
        .then((identity) => this.#identities.set(request, identity))
        .catch(() => {})
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
    return {
      owner: ownerKey(identity),
      authenticated: identity !== LOCAL && identity !== ANYBODY,
      readOnly: role === "viewer",
      ...(ended && { ended }),
    };
  }

  async #admit(request: IncomingMessage, response: ServerResponse, routes: RequestListener): Promise<void> {
    try {
      const known = await this.#identify(request);
      const identity = known === LOCAL ? LOCAL : { ...known, address: clientAddressOf(request) };
      this.#count(identity, request);
      this.#identities.set(request, identity);
      response.once("finish", () => this.#noteRole(identity, request, response));
      if (identity.link === undefined) vouchFor(request, response);
    } catch (error) {
      refuseRequest(request, response, error, this.#options.resourceMetadata?.(request));
      if (error instanceof NotAuthenticatedError) this.#noteCredential(request, error);
      else if (!(error instanceof Problem)) this.#options.report(error);
      return;
    }
    routes(request, response);
  }

  #noteCredential(request: IncomingMessage, error: NotAuthenticatedError): void {
    if (!error.hasCredential) return;
    const { authorization = "", "x-api-key": other = "" } = request.headers;
    const prefix = prefixOf(authorization.replace(/^Bearer +/i, "")) ?? prefixOf(String(other));
    const stranger = {
      owner: "",
      name: "unknown",
      workspace: LOCAL.workspace,
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
    this.#options.notes?.note(identity, { action: "role.refused", target, details: { role: identity.role } });
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
    if (!this.isRequired) return LOCAL;
    const { authorization, "x-api-key": key } = request.headers;
    const hasCredential = authorization !== undefined || key !== undefined;
    const { provider } = this.#options;
    const advice = provider ? `Sign in with ${provider}, or ${KEY}` : `Show who you are: ${KEY}`;
    throw new NotAuthenticatedError(hasCredential ? `What you show is not known here. ${advice}` : advice, {
      hasCredential,
    });
  }
}

/** Under which name agents know a user; that of the local one is what it was before there were others. */
export function ownerKey({ owner, workspace }: Pick<Identity, "owner" | "workspace">): string {
  if (owner === LOCAL.owner && workspace === LOCAL.workspace) return LOCAL.owner;
  return `${encodeURIComponent(workspace)}/${encodeURIComponent(owner)}`;
}

/** Who goes by that name among agents. */
export function principalOf(key: string): Pick<Identity, "owner" | "workspace"> {
  const [workspace, owner] = key.split("/");
  if (workspace === undefined || owner === undefined)
    return { owner: LOCAL.owner, workspace: LOCAL.workspace };
  return { owner: decodeURIComponent(owner), workspace: decodeURIComponent(workspace) };
}
