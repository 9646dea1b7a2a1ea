import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { shippedServer } from "../testing/shipped-server.ts";

const token = "canary-argocd-token";

/** A stand-in for Argo CD that answers with this function. */
async function standIn(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method, url, headers } = request;
      requests.push(
        [method, url, headers.authorization, Buffer.concat(parts).toString()].filter(Boolean).join(" "),
      );
      answer(request, response);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const env = { ARGOCD_BASE_URL: `http://127.0.0.1:${port}/`, ARGOCD_TOKEN: token };
  return { requests, ...(await shippedServer("argocd", [], env)) };
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

describe("the Argo CD server without an Argo CD", () => {
  it("reports the seed's version and that it is a demo (S0.13)", async () => {
    const { call } = await shippedServer("argocd", ["version"]);
    const { text, structured } = await call("version");
    expect(text).toContain("v3.1.8+becb020");
    expect(text).toContain("Demo data");
    expect(structured).toMatchObject({ version: { Version: "v3.1.8+becb020" }, demo: true });
  });

  it("lists, shows, compares and syncs", async () => {
    const { call } = await shippedServer("argocd", ["application"]);
    expect((await call("list")).text).toContain("- checkout (shop): OutOfSync, Healthy");
    expect((await call("list", { project: "default" })).structured).toMatchObject({
      applications: [{ name: "guestbook", sync: "Synced", health: "Healthy" }],
    });
    expect((await call("get", { name: "catalogue" })).text).toContain("catalogue is Synced and Degraded.");
    expect((await call("diff", { name: "checkout" })).structured).toMatchObject({
      differences: [
        {
          resource: "Deployment/checkout/checkout",
          change: "modify",
          fields: [
            { path: "spec.replicas", live: 2, desired: 3 },
            { path: "spec.template.spec.containers[0].image" },
          ],
        },
      ],
    });
    expect((await call("sync", { name: "checkout", dryRun: true })).text).toContain("A dry run of checkout");
    expect((await call("get", { name: "checkout" })).text).toContain("OutOfSync");
    expect((await call("sync", { name: "checkout" })).text).toContain(
      "The sync of checkout was accepted: Succeeded.",
    );
    expect((await call("diff", { name: "checkout" })).text).toContain("checkout is what Git asks for.");
  });

  it("marks exactly the tools that change something", async () => {
    const { servers } = await shippedServer("argocd");
    const changing = servers.tools().filter(({ annotations }) => annotations.readOnlyHint !== true);
    expect(servers.tools().map(({ tool }) => tool)).toEqual(["version", "list", "get", "diff", "sync"]);
    expect(changing).toMatchObject([
      { tool: "sync", annotations: { readOnlyHint: false, idempotentHint: false, destructiveHint: true } },
    ]);
  });

  it.each(["nobody", "../version", "%", "a/b"])("fails for the application %s", async (name) => {
    const { call } = await shippedServer("argocd");
    expect(await call("get", { name })).toMatchObject({
      failed: true,
      text: expect.stringContaining("no such"),
    });
  });
});

describe("the Argo CD server with an Argo CD", () => {
  it("asks its API with the token, and does not call the answer a demo", async () => {
    const application = {
      metadata: { name: "web" },
      spec: {
        project: "p",
        sources: [{ repoURL: "https://g", chart: "c" }],
        destination: { name: "in-cluster" },
      },
    };
    const { call, requests } = await standIn((request, response) => {
      if (request.url === "/api/version") json(response, 200, { Version: "v2.0.0" });
      else json(response, 200, request.url?.includes("?") ? { items: null } : application);
    });
    expect((await call("version")).structured).toEqual({ version: { Version: "v2.0.0" }, demo: false });
    expect((await call("list", { project: "a b" })).text).toBe("There are no applications.");
    expect((await call("sync", { name: "web", revision: "v1", prune: true })).structured).toMatchObject({
      application: { name: "web", sync: "Unknown", repository: "https://g c", destination: "in-cluster" },
      operation: "Requested",
    });
    expect(requests).toEqual([
      `GET /api/version Bearer ${token}`,
      `GET /api/v1/applications?projects=a+b Bearer ${token}`,
      `POST /api/v1/applications/web/sync Bearer ${token} {"revision":"v1","prune":true,"dryRun":false}`,
    ]);
  });

  it.each([
    ["401", /does not accept the token: no session information/],
    ["403", /does not permit this/],
    ["404", /no such application/],
    ["500", /HTTP status 500/],
    ["text", /is not Argo CD's API/],
    ["other", /is not Argo CD's API/],
    ["redirect", /cannot be reached/],
    ["broken", /broke off|cannot be reached/],
  ])("reports a response that is %s as a tool error, without the token", async (kind, reason) => {
    const { call } = await standIn((_, response) => {
      if (kind === "text") response.end("hello");
      else if (kind === "other") json(response, 200, { something: "else" });
      else if (kind === "redirect") response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
      else if (kind === "broken") response.destroy();
      else json(response, Number(kind), { error: "x", code: 16, message: "no session information" });
    });
    const { failed, text } = await call("get", { name: "web" });
    expect(failed).toBe(true);
    expect(text).toMatch(reason);
    expect(text).not.toContain(token);
  });

  it("shows that a secret differs, but not what it is", async () => {
    const secret = (value: string) => JSON.stringify({ data: { password: value } });
    const { call } = await standIn((_, response) =>
      json(response, 200, {
        items: [
          { kind: "Secret", name: "s", liveState: secret("old-value"), targetState: secret("new-value") },
          { kind: "ConfigMap", name: "gone", liveState: "{}", targetState: "null" },
          { kind: "ConfigMap", name: "new", liveState: "", targetState: "{}" },
        ],
      }),
    );
    const { text } = await call("diff", { name: "web" });
    expect(text.split("\n")).toEqual([
      "modify Secret/s",
      '  data.password: "(hidden)" → "(hidden)"',
      "delete ConfigMap/gone",
      "create ConfigMap/new",
    ]);
  });

  it("does not start with an invalid URL", async () => {
    await expect(shippedServer("argocd", [], { ARGOCD_BASE_URL: "argocd" })).rejects.toThrow(
      /is not a URL like/,
    );
    await expect(shippedServer("argocd", ["everything"])).rejects.toThrow(/Usage/);
  });
});
