import { describe, expect, it } from "vitest";
import { startCaipePeer, startMessagePeer, startSlowPeer, startV01Peer } from "../peers/index.ts";
import { listening } from "../peers/peer-server.ts";
import { during } from "../peers/testing/peer-client.ts";
import { examined, type ReportedCheck } from "./testing/examined.ts";
import { startLyingPeer } from "./testing/lying-peer.ts";

/** Checks that these minimal agents cannot pass: they disconnect on anything but JSON-RPC. */
const HAND_MADE = ["error-parse", "error-params", "error-params-missing"];
const waysIn = (checks: readonly ReportedCheck[]) =>
  new Set(checks.flatMap(({ verdicts }) => verdicts.flatMap(({ way }) => way ?? [])));

describe("the doctor examines each agent in its own dialect (+8)", { timeout: 180_000 }, () => {
  it("a v0.1 agent, with its card at the old path", async () => {
    const { url } = await during(startV01Peer({ pause: 15 }));
    const { checks, ids } = await examined(url);
    expect([...waysIn(checks)]).toEqual(["0.1 JSON-RPC"]);
    expect(ids("fail")).toEqual(HAND_MADE);
    const right = [
      "card-first-path",
      "send",
      "stream",
      "stream-final",
      "artifact-append",
      "cancel",
      "subscribe",
    ];
    expect(ids("pass")).toEqual(expect.arrayContaining(right));
    expect(ids("not-applicable")).toEqual(
      expect.arrayContaining(["card-well-known", "list", "version-unknown"]),
    );
  });

  it("a CAIPE-style agent, whose tokens are statuses", async () => {
    const { url } = await during(startCaipePeer({ pause: 60 }));
    const { checks, ids } = await examined(url);
    expect([...waysIn(checks)]).toEqual(["0.3 JSON-RPC"]);
    expect(ids("fail")).toEqual(HAND_MADE);
    expect(ids("pass")).toEqual(expect.arrayContaining(["stream-end", "stream-final", "get", "cancel"]));
  });

  it("an agent that answers with messages and creates no task", async () => {
    const { url } = await during(startMessagePeer());
    const { ids } = await examined(url, "--only", "stream", "--only", "operations", "--only", "running");
    expect(ids("pass")).toEqual(expect.arrayContaining(["send", "stream", "stream-begin", "stream-end"]));
    expect(ids("not-applicable")).toEqual(expect.arrayContaining(["get", "send-waits", "cancel"]));
  });

  it("an agent that does not stream", async () => {
    const { url } = await during(startSlowPeer({ streaming: false, pause: 1 }));
    const { ids, found } = await examined(
      url,
      "--only",
      "operations",
      "--only",
      "stream",
      "--only",
      "errors",
    );
    expect(ids("pass")).toEqual(expect.arrayContaining(["send", "send-waits", "get", "error-cancel-ended"]));
    expect(ids("not-applicable")).toEqual(expect.arrayContaining(["stream", "stream-end"]));
    expect(found("error-stream-unclaimed")).toContain("-32601");
  });

  it("an agent without a card", async () => {
    const { url } = await during(startSlowPeer({ pause: 1 }));
    const bare = await during(
      listening(async (request, response) => {
        if (request.method !== "POST") return void response.writeHead(404).end();
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const body = Buffer.concat(chunks);
        // It rejects invalid messages, as an agent without a card should.
        if (JSON.stringify(JSON.parse(String(body)).params) === "{}")
          return void response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"No message"}}');
        const answer = await fetch(url, { method: "POST", body });
        response.writeHead(200, { "content-type": "application/json" }).end(await answer.text());
      }),
    );
    const { found, checks, code } = await examined(bare.url, "--only", "card-well", "--only", "send");
    expect(found("card-well-known")).toContain("There is no card");
    expect(checks.find(({ id }) => id === "send")?.outcome).not.toBe("not-applicable");
    expect(code).toBe(1);
  });
});

describe("the doctor on a card with false claims (+8)", { timeout: 180_000 }, () => {
  it("reports each false claim", async () => {
    const { url } = await during(startLyingPeer());
    const { found, checks, code } = await examined(url);
    expect(code).toBe(1);
    expect(found("interface-answers")).toMatch(/1\.0 JSON-RPC: .*-32601 \(MethodNotFound/);
    expect(found("interface-answers")).toMatch(/1\.0 REST: http:.*ECONNREFUSED/);
    expect(found("interface-answers")).toMatch(/1\.0 gRPC: 127\.0\.0\.1:1: .*cannot be reached/);
    expect(found("card-hosts")).toContain("https://elsewhere.example");
    expect(found("stream")).toContain("0.3 JSON-RPC: Answered HTTP 200 with application/json (-32601");
    expect(found("extended-card")).toContain("Claimed, but answered with -32601");
    expect(checks.find(({ id }) => id === "send")?.outcome).toBe("pass");
  });
});
