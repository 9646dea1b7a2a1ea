import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Check, pass, verdictOf } from "./check.ts";
import { Examination } from "./examination.ts";
import { runChecks } from "./run-checks.ts";
import { RequestLimitError, Wire } from "./wire.ts";

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function wireWith(options: Partial<ConstructorParameters<typeof Wire>[0]> = {}): Wire {
  const { signal } = new AbortController();
  return new Wire({
    headers: new Map(),
    timeout: 60_000,
    maxRequests: 100,
    signal,
    isOwn: () => true,
    ...options,
  });
}

describe("Wire (+8)", () => {
  it("rejects requests beyond its limit", async () => {
    const url = await serving((_, response) => void response.end("{}"));
    const wire = wireWith({ maxRequests: 2 });
    await wire.ask({ url });
    await wire.ask({ url });
    await expect(wire.ask({ url })).rejects.toThrow(RequestLimitError);
    expect(wire.requests).toBe(2);
  });

  it("sends the caller's headers to the agent's own hosts only, and records only their names", async () => {
    const url = await serving((request, response) => void response.end(JSON.stringify(request.headers)));
    const headers = new Map([["authorization", "Bearer my-own-secret"]]);
    const { text, evidence } = await wireWith({ headers }).ask({ url });
    expect(text).toContain("Bearer my-own-secret");
    expect(evidence.request).toContain("authorization: •••");
    expect(JSON.stringify(evidence)).not.toContain("my-own-secret");
    const elsewhere = await wireWith({ headers, isOwn: () => false }).ask({ url });
    expect(elsewhere.text).not.toContain("my-own-secret");
  });

  it("reads a stream until `take` has enough or the timeout is over", async () => {
    const url = await serving((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write("data: more\n\n"), 5);
      response.on("close", () => clearInterval(timer));
    });
    let count = 0;
    const left = await wireWith().stream({ url }, () => (++count === 3 ? "enough" : undefined));
    expect([left.end, count]).toEqual(["left", 3]);
    const long = await wireWith({ timeout: 200 }).stream({ url }, () => undefined);
    expect(long.end).toBe("too long");
  });

  it("distinguishes a port that closes from one that was never open", async () => {
    const wire = wireWith();
    await wire.ask({ url: "http://127.0.0.1:1/" });
    expect(wire.isGone).toBe(false);
    const server = createServer((_, response) => void response.end("{}")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await wire.ask({ url });
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
    await wire.ask({ url });
    expect(wire.isGone).toBe(true);
  });
});

describe("runChecks (+8)", () => {
  it("skips checks, and does not fail them, when the examination runs out of time", async () => {
    const url = new URL(await serving(() => undefined));
    const signal = AbortSignal.timeout(100);
    const options = { message: "", headers: new Map(), timeout: 5_000, allow: [], keys: [] };
    const examination = new Examination({ ...options, url, signal });
    const about = {
      topic: "Reachability",
      title: "",
      clause: "",
      severity: "must",
      meaning: "",
      remedy: "",
    } as const;
    const asking: Check = {
      ...about,
      id: "asking",
      async run({ wire }) {
        await wire.ask({ url: url.href });
        return [verdictOf(pass(""), "must")];
      },
    };
    const [examined] = await runChecks(examination, [asking], () => undefined);
    expect(examined).toMatchObject({
      outcome: "not-applicable",
      verdicts: [{ detail: "Skipped: the examination ran out of time" }],
    });
  });
});
