import type { RequestListener, ServerResponse } from "node:http";
import { isOperator } from "@parley/identity";
import { SECURITY_HEADERS } from "./answer-parts.ts";
import type { MainRoutesOptions } from "./application.ts";

/** How long a readiness result is reused. */
const CACHE_MS = 100;
const HEADERS = { ...SECURITY_HEADERS, "Content-Type": "application/json" };

/** Answers unauthenticated probes from a cache, so that many of them cost next to nothing; passes the rest to the routes. */
export function probeListener(
  { status, identityOf }: Required<Pick<MainRoutesOptions, "status" | "identityOf">>,
  routes: RequestListener,
): RequestListener {
  let latest: Promise<boolean> | undefined;
  const isReady = () => {
    if (latest) return latest;
    setTimeout(() => {
      latest = undefined;
    }, CACHE_MS).unref();
    latest = status().then(({ ready }) => ready);
    return latest;
  };
  return (request, response) => {
    const [path] = (request.url ?? "").split("?");
    if (request.method !== "GET") return routes(request, response);
    if (path === "/healthz") return answer(response, 200, "ok");
    if (path !== "/readyz" || isOperator(identityOf(request))) return routes(request, response);
    isReady().then(
      (ready) => answer(response, ready ? 200 : 503, ready ? "ready" : "not ready"),
      // The routes try again, and report the error.
      () => routes(request, response),
    );
  };
}

function answer(response: ServerResponse, code: number, status: string): void {
  response.writeHead(code, HEADERS).end(JSON.stringify({ status }));
}
