import { beforeAll, describe, expect, it, vi } from "vitest";
import { numberedTokens, startLegacySdkPeer, startSdkPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { startLegacySdkAgent, startSdkAgent } from "../testing/sdk-agents.ts";
import { examined } from "./testing/examined.ts";
import { startFrailSdkAgent } from "./testing/frail-sdk-agent.ts";

describe("the doctor finds in agents built with the official SDK", { timeout: 180_000 }, () => {
  // The SDKs log rejections to the console.
  beforeAll(() => {
    for (const way of ["log", "warn", "error"] as const) vi.spyOn(console, way).mockReturnValue();
  });

  it("1.3.0: webhooks to anywhere, deep JSON, large bodies, messages without parts (+8, D4, D7–9)", async () => {
    const { url } = await during(startSdkAgent());
    const { code, ids, found } = await examined(url);
    expect(code).toBe(1);
    expect(found("push-private-address")).toContain("http://169.254.169.254/parley-doctor is accepted");
    expect(found("push-redirect")).toContain("A 307 is followed with the token");
    expect(found("deep-json")).toContain("-32603 (Internal: Maximum call stack size exceeded)");
    expect(found("large-body")).toContain("HTTP 413 with text/html");
    expect(found("error-params")).toMatch(/1\.0 JSON-RPC: Answered with a result/);
    // Correct behaviour is reported as passed.
    const right = ["card-valid", "interface-answers", "send", "stream", "stream-end", "get"];
    expect(ids("pass")).toEqual(
      expect.arrayContaining([...right, "artifact-append", "push-configs", "rpc-id"]),
    );
  });

  it("1.3.0: a stream that a second message ends, in both of its dialects (+8, D4)", async () => {
    const { url } = await during(startSdkPeer({ tokens: numberedTokens(20), pause: 10 }));
    const { found } = await examined(url, "--only", "second-message");
    expect(found("second-message")).toMatch(/^1\.0 JSON-RPC: The first stream ends with an error/);
    expect(found("second-message")).toMatch(/^0\.3 JSON-RPC: The first stream ends with an error/m);
  });

  it("1.3.0: chunks that a cancel stores twice (+8, D5)", async () => {
    const { url } = await during(startFrailSdkAgent());
    const { code, found } = await examined(url, "--only", "cancel-keeps");
    const [, streamed, kept] =
      /(?<!\d)(\d+) characters were streamed, but the task has (\d+)/.exec(found("cancel-keeps")) ?? [];
    expect(Number(kept)).toBeGreaterThan(Number(streamed));
    expect(code).toBe(1);
  });

  it("1.3.0: events that subscribers lose once storing takes 3 ms (+8, D2)", async () => {
    const { url } = await during(startFrailSdkAgent({ pieces: 100, pause: 1, storage: 3 }));
    const { code, found } = await examined(url, "--only", "subscribe");
    expect(found("subscribe")).toMatch(/append-to-nothing|characters, the subscriber/);
    expect(code).toBe(1);
  });

  it("1.3.0: a cost that is quadratic in the length of the answer (+8, D1)", async () => {
    const { url } = await during(startFrailSdkAgent({ pieces: 3_600, pause: 0 }));
    const { found } = await examined(url, "--only", "steady-pace");
    const [, early, late] = /events took (\d+) ms, the last \d+ (\d+) ms/.exec(found("steady-pace")) ?? [];
    expect(Number(late)).toBeGreaterThan(2 * Number(early));
  });

  it("0.3.14: its own defects, and nothing that only v1.0 requires (+8, D4, D7, D9)", async () => {
    const { url } = await during(startLegacySdkAgent());
    const { code, checks, found } = await examined(url);
    expect(code).toBe(1);
    expect(found("error-params-missing")).toContain("-32603 (Internal: Cannot read properties of undefined");
    expect(found("error-subscribe-unknown")).toContain("0.3 REST: Answered with HTTP 500");
    expect(found("push-redirect")).toContain("A 307 is followed");
    expect(found("large-body")).toContain("text/html");
    const ways = new Set(checks.flatMap(({ verdicts }) => verdicts.flatMap(({ way }) => way ?? [])));
    expect([...ways]).toEqual(["0.3 JSON-RPC", "0.3 REST", "0.3 gRPC"]);
    expect(found("list") + found("version-unknown")).toBe("");
  });

  it("0.3.14: a second execution in the first one's stream (+8, D4)", async () => {
    const { url } = await during(startLegacySdkPeer({ tokens: numberedTokens(20), pause: 10 }));
    const { code, found } = await examined(url, "--only", "running tasks");
    expect(found("second-message")).not.toBe("");
    expect([found("subscribe"), code]).toEqual(["", 1]);
  });
});
