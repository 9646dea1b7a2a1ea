import type { IncomingMessage, RequestListener } from "node:http";
import { connect } from "node:net";
import {
  type Authenticator,
  type Identity,
  NotAuthenticatedError,
  ownerKey,
  parseOwnerKey,
} from "@parley/identity";
import { expect, it } from "vitest";
import { guardedServer } from "../http/guarded-server.ts";
import { closeServer, listen } from "../http/listen.ts";
import { unauthenticatedShare } from "../quotas/loop-shares.ts";
import { Access, type AccessOptions } from "./access.ts";

const ANN: Identity = { owner: "ann", workspace: "home", role: "viewer", name: "Ann" };

/** Sends a request through an access check, and returns the result. */
async function asked(
  authenticators: readonly Authenticator[],
  {
    isRequired = true,
    path = "/api/v1/sessions",
    turns,
  }: { isRequired?: boolean; path?: string; turns?: AccessOptions["turns"] } = {},
): Promise<{ status: number; text: string; reported: unknown[] }> {
  const reported: unknown[] = [];
  const access = new Access({ authenticators, isRequired, turns, report: (error) => reported.push(error) });
  const routes: RequestListener = (request, response) =>
    response.end(JSON.stringify([access.identityOf(request), access.callerOf(request)]));
  const server = guardedServer(access.guard(routes));
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  const text = await response.text();
  await closeServer(server);
  return { status: response.status, text, reported };
}

const unused = () => Promise.reject(new Error("no body was sent"));
const nobody: Authenticator = async () => undefined;
const knows = (identity: Identity): Authenticator => {
  return async () => identity;
};
const refuses: Authenticator = async () => {
  throw new NotAuthenticatedError("Your login is over: sign in again");
};

it("the first authentication method that a request uses determines its identity, for the API and for agents", async () => {
  const { text } = await asked([nobody, knows(ANN), refuses]);
  expect(JSON.parse(text)).toEqual([
    { ...ANN, address: "127.0.0.1" },
    { owner: "home/ann", authenticated: true, readOnly: true },
  ]);
  expect(await asked([nobody, refuses, knows(ANN)])).toMatchObject({
    status: 401,
    text: expect.stringContaining("Your login is over: sign in again"),
  });
});

it("a request without credentials is the local owner if authentication is off, and is refused otherwise", async () => {
  const { text } = await asked([nobody], { isRequired: false });
  expect(JSON.parse(text)[1]).toEqual({ owner: "local", authenticated: false, readOnly: false });
  expect((await asked([nobody])).status).toBe(401);
});

it("a queued request is refused if its access ends while it waits", async () => {
  const access = new AbortController();
  const turns = {
    enterRequest: async () => {
      access.abort(new NotAuthenticatedError("Your API key was revoked"));
      return { [Symbol.dispose]: () => {} };
    },
    enterBody: unused,
  };
  const { status, text } = await asked([knows({ ...ANN, ended: access.signal })], { turns });
  expect([status, text]).toEqual([401, expect.stringContaining("Your API key was revoked")]);
});

it.each([
  ["/api/v1/openapi.json", 200],
  ["/docs", 200],
  ["/s/", 200],
  ["/api/v1/sessions", 401],
])(
  "whoever shows nothing, or nothing good, waits at %s for the turn of the address",
  async (path, status) => {
    const entered: unknown[] = [];
    const turns = {
      enterRequest: async (share: unknown) => {
        entered.push(share);
        return { [Symbol.dispose]: () => entered.push("over") };
      },
      enterBody: unused,
    };
    expect((await asked([refuses], { path, turns })).status).toBe(status);
    await expect.poll(() => entered).toEqual([unauthenticatedShare("127.0.0.1"), "over"]);
  },
);

it("probes are answered at once, even for addresses over their share", async () => {
  const turns = { enterRequest: () => new Promise<never>(() => {}), enterBody: unused };
  for (const path of ["/healthz", "/readyz"])
    expect((await asked([refuses], { path, turns })).status).toBe(200);
});

it("an authentication method that fails admits nobody, and only the log has the cause", async () => {
  const broken: Authenticator = async () => {
    throw new Error("the database said: password=hunter2");
  };
  const { status, text, reported } = await asked([broken, knows(ANN)], { isRequired: false });
  expect([status, reported.length]).toEqual([500, 1]);
  expect(text).not.toContain("hunter2");
});

it("a request to a public route is anonymous and has no rights", async () => {
  const { text } = await asked([refuses], { path: "/healthz" });
  expect(JSON.parse(text)[0]).toMatchObject({ owner: "", workspace: "", role: "viewer" });
});

it("a request that did not pass the guard has no identity", () => {
  const access = new Access({ authenticators: [], isRequired: false, report: () => {} });
  expect(() => access.identityOf({} as IncomingMessage)).toThrow("not admitted by Access");
});

it("each user has a distinct agent-facing name, which maps back to that user", () => {
  const people = [
    { owner: "local", workspace: "default" },
    { owner: "local", workspace: "home" },
    { owner: "b/c", workspace: "a" },
    { owner: "c", workspace: "a/b" },
    { owner: "a%2Fb", workspace: "ü" },
    { owner: "", workspace: "default" },
  ];
  const keys = people.map(ownerKey);
  expect(new Set(keys).size).toBe(people.length);
  expect(keys[0]).toBe("local");
  expect(keys.map(parseOwnerKey)).toEqual(people);
});

it("a request that the caller's role forbids is audited even if the caller disconnects", async () => {
  const notes: string[] = [];
  const decided = Promise.withResolvers<void>();
  const note = (_: unknown, { target }: { readonly target: string }) => void notes.push(target);
  const access = new Access({
    authenticators: [knows(ANN)],
    ...{ isRequired: true, notes: { note }, report: () => {} },
  });
  const routes: RequestListener = (_, response) => {
    response.once("close", () => {
      response.writeHead(403).end();
      decided.resolve();
    });
    socket.resetAndDestroy();
  };
  const server = guardedServer(access.guard(routes));
  const socket = connect(await listen(server, { host: "127.0.0.1", port: 0 }), "127.0.0.1");
  socket.write("DELETE /api/v1/sessions/s HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await decided.promise;
  await closeServer(server);
  expect(notes).toEqual(["DELETE /api/v1/sessions"]);
});
