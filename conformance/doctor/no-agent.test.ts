import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { listening } from "../peers/peer-server.ts";
import { during } from "../peers/testing/peer-client.ts";
import { runDoctor } from "./testing/examined.ts";

/** One sentence, no stack, and nothing on standard output. */
async function refusal(
  url: string,
  ...args: readonly string[]
): Promise<[code: number | null, words: string]> {
  const { code, output, errors } = await runDoctor(url, ...args);
  expect(output).toBe("");
  expect(errors.trimEnd().split("\n")).toHaveLength(1);
  expect(errors).not.toMatch(/ at .*:\d+:\d+|bug in Parley/);
  return [code, errors];
}

const serving = (status: number, headers: Record<string, string>, body = "") =>
  during(listening((_, response) => void response.writeHead(status, headers).end(body)));

describe("the doctor reports in one sentence that it found no agent (+8)", { timeout: 180_000 }, () => {
  it("for a web page", async () => {
    const { url } = await serving(200, { "content-type": "text/html" }, "<h1>Hello</h1>");
    expect(await refusal(url)).toEqual([
      3,
      expect.stringContaining("is a web page, and nothing answers JSON-RPC"),
    ]);
  });

  it("for a server that returns 404", async () => {
    const { url } = await serving(404, {});
    expect(await refusal(url)).toEqual([3, expect.stringMatching(/No A2A agent at .* is HTTP 404/)]);
  });

  it("for JSON that is not a card", async () => {
    const { url } = await serving(200, { "content-type": "application/json" }, "[1,2]");
    expect(await refusal(url)).toEqual([
      3,
      expect.stringContaining("application/json without an agent card"),
    ]);
  });

  it("for a server that fails", async () => {
    const { url } = await serving(500, {});
    expect(await refusal(url)).toEqual([3, expect.stringContaining("answers HTTP 500 for its agent card")]);
  });

  it("for a redirect, with its target", async () => {
    const location = "https://agents.example/.well-known/agent-card.json";
    const { url } = await serving(301, { location });
    expect(await refusal(url)).toEqual([
      3,
      expect.stringContaining("try parley doctor https://agents.example\n"),
    ]);
  });

  it("for an agent that requires authentication", async () => {
    const { url } = await serving(401, {});
    expect(await refusal(url)).toEqual([3, expect.stringContaining("use --header")]);
  });

  it("for a closed port", async () => {
    const { url, stop } = await listening(() => undefined);
    await stop();
    expect(await refusal(url)).toEqual([
      3,
      `Nothing is listening at ${url}; start the agent, or check the port\n`,
    ]);
  });

  it("for an unknown host", async () => {
    const words = "Host no-such-host.invalid not found; check the URL\n";
    expect(await refusal("http://no-such-host.invalid/")).toEqual([3, words]);
  });

  it("for an https URL of an http server", async () => {
    const { url } = await serving(200, {});
    expect(await refusal(url.replace("http:", "https:"))).toEqual([
      3,
      expect.stringContaining("try http://"),
    ]);
  });

  it("for a server that never answers", async () => {
    const server = createServer((socket) => void socket.resume()).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await refusal(url, "--timeout", "0.5")).toEqual([
      3,
      expect.stringContaining("did not answer in time"),
    ]);
  });
});
