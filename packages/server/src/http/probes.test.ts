import type { IncomingMessage } from "node:http";
import { type Identity, LOCAL_USER } from "@parley/identity";
import { expect, it, onTestFinished } from "vitest";
import type { PlatformStatus } from "../platform-status.ts";
import { guardedServer } from "./guarded-server.ts";
import { listen } from "./listen.ts";
import { probeListener } from "./probes.ts";

const STRANGER: Identity = { owner: "", workspace: "", role: "viewer", name: "anybody" };

/** Serves probes of a platform that is ready, and counts how often it is asked. */
async function serve() {
  const asked = { status: 0, routes: 0 };
  const status = async () => {
    asked.status++;
    return { ready: asked.status > 0 } as PlatformStatus;
  };
  const identityOf = ({ headers }: IncomingMessage) => (headers.authorization ? LOCAL_USER : STRANGER);
  const listener = probeListener({ status, identityOf }, (_, response) => {
    asked.routes++;
    response.writeHead(404).end();
  });
  const server = guardedServer(listener);
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => void server.close());
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return { asked, ask };
}

it("concurrent anonymous readiness probes share one check", async () => {
  const { asked, ask } = await serve();
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask("/readyz")));
  for (const answer of answers)
    expect([answer.status, await answer.json()]).toEqual([200, { status: "ready" }]);
  expect(asked.status).toBeLessThan(20);
  expect(asked.routes).toBe(0);
});

it("liveness is answered without a check, and operators and other requests reach the routes", async () => {
  const { asked, ask } = await serve();
  expect(await (await ask("/healthz")).json()).toEqual({ status: "ok" });
  expect(asked).toEqual({ status: 0, routes: 0 });
  await ask("/readyz", { headers: { Authorization: "Bearer operator" } });
  await ask("/healthz", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  await ask("/metrics");
  expect(asked).toEqual({ status: 0, routes: 3 });
});
