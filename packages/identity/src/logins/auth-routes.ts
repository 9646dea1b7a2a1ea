import type { IncomingMessage, RequestListener } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import * as oauth from "oauth4webapi";
import { z } from "zod";
import type { CountedAudit } from "../audit/counted-audit.ts";
import { LOCAL_USER } from "../identity.ts";
import { LoginRefusedError, NotAuthenticatedError, ProviderUnavailableError } from "../identity-errors.ts";
import type { People } from "../people/people.ts";
import type { HttpEdge, IdentityLog } from "../ports.ts";
import { cookieHeader, cookieName, LOGIN_COOKIE, readCookie } from "./cookies.ts";
import type { IdentityProvider, LoginAttempt } from "./identity-provider.ts";
import type { Logins } from "./logins.ts";

const PATHS = /^\/auth(\/|\?|$)/;
const HOME = "/s/";
const ATTEMPT_COOKIE = "parley_attempt_";
const ATTEMPT_SECONDS = 600;

const attemptSchema = z.object({
  ...{ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() },
});

/** What the login routes depend on. */
export interface AuthOptions {
  readonly people: People;
  readonly log: IdentityLog;
  readonly edge: HttpEdge;
  readonly publicUrl?: string | undefined;
  /** Without it, nobody can sign in. */
  readonly provider?: IdentityProvider | undefined;
  readonly logins?: Logins | undefined;
  /** Records failed logins. */
  readonly notes?: Pick<CountedAudit, "note"> | undefined;
}

type Environment = { Bindings: HttpBindings };

/** Serves `/auth`, the browser login by authorization code with PKCE; passes other requests to `next`. */
export function authListener(options: AuthOptions, next: RequestListener): RequestListener {
  const { fetch } = authApplication(options);
  const routes = getRequestListener(fetch as Parameters<typeof getRequestListener>[0]);
  return (request, response) =>
    PATHS.test(request.url ?? "") ? routes(request, response) : next(request, response);
}

function authApplication({
  people,
  log,
  edge,
  publicUrl,
  provider,
  logins,
  notes,
}: AuthOptions): Hono<Environment> {
  const routes = new Hono<Environment>();
  const ours = ({ headers: { host } }: IncomingMessage) => publicUrl ?? `http://${host}`;
  const isSecure = (request: IncomingMessage) => ours(request).startsWith("https:");
  routes.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(edge.securityHeaders)) context.header(name, value);
  });

  routes.get("/auth/ways", (context) =>
    context.json({ provider: provider ? { host: provider.host } : null }),
  );

  routes.get("/auth/login", async (context) => {
    if (!provider) return context.notFound();
    const { incoming } = context.env;
    const attempt = newAttempt(ours(incoming));
    const url = await provider.loginUrl(attempt);
    const kept = { ...attempt, to: ownPath(edge.basePath, context.req.query("to")) };
    const cookie = Buffer.from(JSON.stringify(kept)).toString("base64url");
    context.header("Set-Cookie", attemptCookie(attempt.state, cookie, isSecure(incoming)));
    return context.redirect(url.href);
  });

  routes.get("/auth/callback", async (context) => {
    if (!provider || !logins) return context.notFound();
    const { incoming } = context.env;
    const parameters = new URL(context.req.url).searchParams;
    const state = parameters.get("state") ?? "";
    const { to, ...attempt } = attemptIn(incoming, state, isSecure(incoming));
    const redirectUri = `${ours(incoming)}/auth/callback`;
    const { profile, ...granted } = await provider.complete(parameters, { ...attempt, redirectUri });
    const user = await people.ensureUser(profile);
    const { cookie, endsAt } = await logins.begin(user.id, granted, {
      ...{ name: user.name, address: edge.addressOf(incoming) },
    });
    log.info({ user: user.id }, "signed in");
    const lasts = { seconds: (endsAt - Date.now()) / 1_000, isSecure: isSecure(incoming) };
    context.header("Set-Cookie", attemptCookie(state, "", isSecure(incoming)));
    context.header("Set-Cookie", cookieHeader(LOGIN_COOKIE, cookie, { ...lasts, sameSite: "Strict" }), {
      append: true,
    });
    return context.redirect(ownPath(edge.basePath, to));
  });

  routes.post("/auth/logout", async (context) => {
    const { incoming } = context.env;
    if (incoming.headers.origin !== new URL(ours(incoming)).origin)
      throw new NotAuthenticatedError("Sign out on one of our own pages");
    const cookie = readCookie(incoming.headers, cookieName(LOGIN_COOKIE, isSecure(incoming)));
    if (cookie !== undefined) await logins?.end(cookie);
    const gone = { seconds: 0, sameSite: "Strict", isSecure: isSecure(incoming) } as const;
    context.header("Set-Cookie", cookieHeader(LOGIN_COOKIE, "", gone));
    return context.body(null, 204);
  });

  routes.notFound((context) =>
    page(edge, context, 404, "Page not found", "There is no login at this address."),
  );
  routes.onError((error, context) => {
    if (error instanceof ProviderUnavailableError) {
      log.warn({ err: error }, "the identity provider is unavailable");
      context.header("Retry-After", "10");
      return page(
        edge,
        context,
        503,
        "Signing in is unavailable",
        `${error.message}. Existing logins stay valid.`,
      );
    }
    if (error instanceof LoginRefusedError) {
      log.warn({ reason: error.reason }, "a login was refused");
      const address = edge.addressOf(context.env.incoming);
      const details = { reason: error.reason.slice(0, 100) };
      notes?.note(
        { owner: "", name: "unknown", workspace: LOCAL_USER.workspace, address },
        { action: "login.refused", target: "unknown", details },
      );
      return page(edge, context, 400, "You are not signed in", error.message);
    }
    if (error instanceof NotAuthenticatedError)
      return page(edge, context, 403, "You are not signed in", error.message);
    // The cause may contain secrets: it goes to the log, never to the caller.
    log.error({ err: error, path: context.req.path }, "request failed");
    return page(edge, context, 500, "Internal error", "See the server log for details.");
  });
  return routes;
}

function newAttempt(origin: string): LoginAttempt {
  return {
    redirectUri: `${origin}/auth/callback`,
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
}

/** Two tabs may sign in at once, so each attempt has its own cookie. */
function attemptCookie(state: string, value: string, isSecure: boolean): string {
  const kept = { seconds: ATTEMPT_SECONDS, sameSite: "Lax", isSecure } as const;
  return cookieHeader(ATTEMPT_COOKIE + state.slice(0, 8), value, kept);
}

function attemptIn(
  { headers }: IncomingMessage,
  state: string,
  isSecure: boolean,
): z.infer<typeof attemptSchema> {
  const kept = /^[\w-]{20,100}$/.test(state)
    ? readCookie(headers, cookieName(ATTEMPT_COOKIE + state.slice(0, 8), isSecure))
    : undefined;
  if (kept === undefined) throw new LoginRefusedError("it was not started in this browser, or too long ago");
  try {
    return attemptSchema.parse(JSON.parse(Buffer.from(kept, "base64url").toString()));
  } catch {
    throw new LoginRefusedError("its cookie cannot be read");
  }
}

/** Restricts redirects to our own pages. */
function ownPath(base: string, to = ""): string {
  const home = base + HOME;
  const url = URL.parse(to, "http://parley.invalid");
  return url?.host === "parley.invalid" && url.pathname.startsWith(home) ? url.pathname + url.search : home;
}

function page(
  edge: HttpEdge,
  context: Context,
  status: 400 | 403 | 404 | 500 | 503,
  title: string,
  reason: string,
) {
  const body = html`<main>
      <h1>${title}</h1>
      <p>${reason}</p>
      <p><a href="login">Try again</a></p>
    </main>`;
  return context.html(edge.page("Parley", "../status.css", body), status);
}
