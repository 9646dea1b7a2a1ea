import type { IncomingMessage, RequestListener } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import * as oauth from "oauth4webapi";
import type { Logger } from "pino";
import { z } from "zod";
import type { CountedAudit } from "../access/counted-audit.ts";
import { LOCAL } from "../access/identity.ts";
import { NotAuthenticatedError } from "../access/not-authenticated-error.ts";
import { basePathOf } from "../admission.ts";
import { clientAddressOf } from "../http/client-address.ts";
import { SECURITY_HEADERS } from "../http/security-headers.ts";
import { authPage } from "./auth-page.ts";
import { cookieIn, cookieName, LOGIN_COOKIE, setCookie } from "./cookies.ts";
import type { IdentityProvider, LoginAttempt } from "./identity-provider.ts";
import type { Logins } from "./logins.ts";
import type { People } from "./people.ts";
import { LoginRefusedError, ProviderUnavailableError } from "./provider-errors.ts";

const PATHS = /^\/auth(\/|\?|$)/;
const HOME = "/s/";
const ATTEMPT_COOKIE = "parley_attempt_";
const ATTEMPT_SECONDS = 600;

const attemptSchema = z.object({
  ...{ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() },
});

/** What the pages for signing in stand on. */
export interface AuthOptions {
  readonly people: People;
  readonly log: Logger;
  readonly publicUrl?: string | undefined;
  /** Undefined: nobody can sign in, and there is nothing to sign in to, or only with a key. */
  readonly provider?: IdentityProvider | undefined;
  readonly logins?: Logins | undefined;
  /** What is noted of logins that failed. */
  readonly notes?: Pick<CountedAudit, "note"> | undefined;
}

type Environment = { Bindings: HttpBindings };

/** Serves `/auth`: signing in and out in the browser, by authorization code with PKCE; what is not its goes to `next`. */
export function authListener(options: AuthOptions, next: RequestListener): RequestListener {
  const { fetch } = authApplication(options);
  const routes = getRequestListener(fetch as Parameters<typeof getRequestListener>[0]);
  return (request, response) =>
    PATHS.test(request.url ?? "") ? routes(request, response) : next(request, response);
}

function authApplication({
  people,
  log,
  publicUrl,
  provider,
  logins,
  notes,
}: AuthOptions): Hono<Environment> {
  const routes = new Hono<Environment>();
  const ours = ({ headers: { host } }: IncomingMessage) => publicUrl ?? `http://${host}`;
  const base = basePathOf({ publicUrl });
  const isSecure = (request: IncomingMessage) => ours(request).startsWith("https:");
  routes.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.header(name, value);
  });

  routes.get("/auth/ways", (context) =>
    context.json({ provider: provider ? { host: provider.host } : null }),
  );

  routes.get("/auth/login", async (context) => {
    if (!provider) return context.notFound();
    const { incoming } = context.env;
    const attempt = newAttempt(ours(incoming));
    const url = await provider.loginUrl(attempt);
    const kept = { ...attempt, to: ownPath(base, context.req.query("to")) };
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
    const user = await people.known(profile);
    const { cookie, endsAt } = await logins.begin(user.id, granted, {
      ...{ name: user.name, address: clientAddressOf(incoming) },
    });
    log.info({ user: user.id }, "signed in");
    const lasts = { seconds: (endsAt - Date.now()) / 1_000, isSecure: isSecure(incoming) };
    context.header("Set-Cookie", attemptCookie(state, "", isSecure(incoming)));
    context.header("Set-Cookie", setCookie(LOGIN_COOKIE, cookie, { ...lasts, sameSite: "Strict" }), {
      append: true,
    });
    return context.redirect(ownPath(base, to));
  });

  routes.post("/auth/logout", async (context) => {
    const { incoming } = context.env;
    if (incoming.headers.origin !== new URL(ours(incoming)).origin)
      throw new NotAuthenticatedError("Sign out on a page of ours");
    const cookie = cookieIn(incoming.headers, cookieName(LOGIN_COOKIE, isSecure(incoming)));
    if (cookie !== undefined) await logins?.end(cookie);
    const gone = { seconds: 0, sameSite: "Strict", isSecure: isSecure(incoming) } as const;
    context.header("Set-Cookie", setCookie(LOGIN_COOKIE, "", gone));
    return context.body(null, 204);
  });

  routes.notFound((context) =>
    page(context, 404, "There is nothing here", "Nobody can sign in at this address."),
  );
  routes.onError((error, context) => {
    if (error instanceof ProviderUnavailableError) {
      log.warn({ err: error }, "the identity provider cannot be reached");
      context.header("Retry-After", "10");
      return page(
        context,
        503,
        "You cannot sign in just now",
        `${error.message}. Whoever is signed in goes on.`,
      );
    }
    if (error instanceof LoginRefusedError) {
      log.warn({ reason: error.reason }, "a login was refused");
      const address = clientAddressOf(context.env.incoming);
      const details = { reason: error.reason.slice(0, 100) };
      notes?.note(
        { owner: "", name: "unknown", workspace: LOCAL.workspace, address },
        { action: "login.refused", target: "unknown", details },
      );
      return page(context, 400, "You are not signed in", error.message);
    }
    if (error instanceof NotAuthenticatedError)
      return page(context, 403, "You are not signed in", error.message);
    // The cause may hold anything, secrets included: it goes to the operator, never to the caller.
    log.error({ err: error, path: context.req.path }, "request failed");
    return page(context, 500, "Something went wrong on our side", "The log says what.");
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

/** Two tabs may sign in at once: each attempt has a cookie of its own, which comes back with the browser that began it. */
function attemptCookie(state: string, value: string, isSecure: boolean): string {
  const kept = { seconds: ATTEMPT_SECONDS, sameSite: "Lax", isSecure } as const;
  return setCookie(ATTEMPT_COOKIE + state.slice(0, 8), value, kept);
}

function attemptIn(
  { headers }: IncomingMessage,
  state: string,
  isSecure: boolean,
): z.infer<typeof attemptSchema> {
  const kept = /^[\w-]{20,100}$/.test(state)
    ? cookieIn(headers, cookieName(ATTEMPT_COOKIE + state.slice(0, 8), isSecure))
    : undefined;
  if (kept === undefined) throw new LoginRefusedError("it was not begun in this browser, or too long ago");
  try {
    return attemptSchema.parse(JSON.parse(Buffer.from(kept, "base64url").toString()));
  } catch {
    throw new LoginRefusedError("what this browser kept of it cannot be read");
  }
}

/** Only our own pages: an address elsewhere would make us lead people to anybody's site. */
function ownPath(base: string, to = ""): string {
  const home = base + HOME;
  const url = URL.parse(to, "http://parley.invalid");
  return url?.host === "parley.invalid" && url.pathname.startsWith(home) ? url.pathname + url.search : home;
}

function page(context: Context, status: 400 | 403 | 404 | 500 | 503, title: string, reason: string) {
  return context.html(authPage({ title, reason, again: "login" }), status);
}
