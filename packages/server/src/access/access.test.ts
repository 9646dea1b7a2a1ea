import type { IncomingMessage, RequestListener } from "node:http";
import { expect, it } from "vitest";
import { closeServer } from "../http/close-server.ts";
import { guardedServer } from "../http/guarded-server.ts";
import { listen } from "../http/listen.ts";
import { Access, ownerKey, principalOf } from "./access.ts";
import type { Authenticator, Identity } from "./identity.ts";
import { NotAuthenticatedError } from "./not-authenticated-error.ts";

const ANN: Identity = { owner: "ann", workspace: "home", role: "viewer", name: "Ann" };

/** Asks an access, and tells what came of it. */
async function asked(
  authenticators: readonly Authenticator[],
  { isRequired = true, path = "/api/v1/sessions" } = {},
): Promise<{ status: number; text: string; reported: unknown[] }> {
  const reported: unknown[] = [];
  const access = new Access({ authenticators, isRequired, report: (error) => reported.push(error) });
  const routes: RequestListener = (request, response) =>
    response.end(JSON.stringify([access.identityOf(request), access.callerOf(request)]));
  const server = guardedServer(access.guard(routes));
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  const text = await response.text();
  await closeServer(server);
  return { status: response.status, text, reported };
}

const nobody: Authenticator = { identify: async () => undefined };
const knows = (identity: Identity): Authenticator => ({ identify: async () => identity });
const refuses: Authenticator = {
  identify: async () => {
    throw new NotAuthenticatedError("Your login is over: sign in again");
  },
};

it("the first way that a request uses decides who sends it, for the API and for agents alike", async () => {
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

it("whoever shows nothing is the local owner where nobody has to, and else is refused", async () => {
  const { text } = await asked([nobody], { isRequired: false });
  expect(JSON.parse(text)[1]).toEqual({ owner: "local", authenticated: false, readOnly: false });
  expect((await asked([nobody])).status).toBe(401);
});

it("a way that cannot tell lets nobody in, and only the log hears why", async () => {
  const broken: Authenticator = {
    identify: async () => {
      throw new Error("the database said: password=hunter2");
    },
  };
  const { status, text, reported } = await asked([broken, knows(ANN)], { isRequired: false });
  expect([status, reported.length]).toEqual([500, 1]);
  expect(text).not.toContain("hunter2");
});

it("who asks for what is public is nobody, and has nothing", async () => {
  const { text } = await asked([refuses], { path: "/healthz" });
  expect(JSON.parse(text)[0]).toMatchObject({ owner: "", workspace: "", role: "viewer" });
});

it("a request that no guard has seen has no identity", () => {
  const access = new Access({ authenticators: [], isRequired: false, report: () => {} });
  expect(() => access.identityOf({} as IncomingMessage)).toThrow("nobody guards");
});

it("agents know two users by two names, however these are spelt, and the names lead back", () => {
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
  expect(keys.map(principalOf)).toEqual(people);
});
