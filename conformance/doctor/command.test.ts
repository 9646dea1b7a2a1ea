import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { A2AClient, type Executor, makeSigningKey, signCard } from "@parley/a2a";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startConformanceAgent } from "../conformance-agent.ts";
import { startEndlessPeer, startSlowPeer } from "../peers/index.ts";
import { peerCard } from "../peers/peer-card.ts";
import { listening, startPeerServer } from "../peers/peer-server.ts";
import { during } from "../peers/testing/peer-client.ts";
import { examined, runDoctor } from "./testing/examined.ts";

const MAIN = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

describe("the doctor's command line (+8)", { timeout: 180_000 }, () => {
  it.each([
    [["not a url"], "is not an agent URL like http://localhost:8001"],
    [["ftp://example.com"], "is not an agent URL"],
    [["http://user:word@localhost:1"], "Pass credentials with --header"],
    [["http://localhost:1", "--only", "nonsense"], "No check matches nonsense"],
    [["http://localhost:1", "--header", "nonsense"], "--header must be like"],
    [["http://localhost:1", "--key", "/no/such/file"], "Cannot read /no/such/file"],
    [["http://localhost:1", "--timeout", "soon"], "number of seconds"],
    [[], "missing required argument 'url'"],
    [["http://localhost:1", "--nonsense"], "unknown option"],
  ])("refuses %j with exit code 2", async (args, words) => {
    const { code, output, errors } = await runDoctor(...args);
    expect([code, output]).toEqual([2, ""]);
    expect(errors).toContain(words);
  });

  it("documents in its help that it sends real messages, and its exit codes", async () => {
    const { code, output } = await runDoctor("--help");
    expect(code).toBe(0);
    expect(output).toMatch(/sends real messages/);
    expect(output).toMatch(/Exit codes: 0 no MUST is violated/);
  });

  it("lists its checks without sending a request", async () => {
    const { code, output } = await runDoctor("--list");
    expect(code).toBe(0);
    expect(output).toMatch(/^ {2}stream-end +A stream ends/m);
  });

  it("prints a report by topic, with a mark, the findings and the remedies", async () => {
    const { url } = await during(startSlowPeer({ pause: 1 }));
    const { code, output } = await runDoctor(
      url,
      "--only",
      "card-",
      "--only",
      "error-method",
      "--only",
      "list",
    );
    expect(code).toBe(1);
    expect(output).toMatch(/^Agent card\n✓ The card is served at/);
    expect(output).toMatch(
      /✗ Tasks can be listed.*\[list\]\n {4}1\.0 JSON-RPC: -32601.*\n {4}→ Answer ListTasks/,
    );
    expect(output).toMatch(/! The card is signed/);
    expect(output).toMatch(/– The card's signature is valid/);
    expect(output).toMatch(/The agent violates the protocol: \d+ passed, 1 failed, \d+ warnings/);
    expect(output).not.toContain("\u001b");
  });

  it("fails on warnings only with --strict", async () => {
    const { url } = await during(startSlowPeer({ pause: 1 }));
    expect((await examined(url, "--only", "error-request")).code).toBe(0);
    expect((await examined(url, "--only", "error-request", "--strict")).code).toBe(1);
    // Severity "info" never fails.
    expect((await examined(url, "--only", "card-signed", "--strict")).code).toBe(0);
  });

  it("sends --message and --header to the agent, and prints the header nowhere", async () => {
    const secret = "s3cret-0f-mine";
    const peer = await during(startSlowPeer({ pause: 1 }));
    const header = ["--header", `Authorization: Bearer ${secret}`];
    const { output } = await examined(
      peer.url,
      "--message",
      "Count the mugs",
      ...header,
      "--only",
      "operations",
    );
    expect(peer.requests.every(({ headers }) => headers.authorization === `Bearer ${secret}`)).toBe(true);
    expect(peer.requests.some(({ text }) => text === "Count the mugs")).toBe(true);
    expect(output).toContain("authorization: •••");
    const verbose = await runDoctor(peer.url, ...header, "--verbose", "--only", "list");
    expect(output + verbose.output + verbose.errors).not.toContain(secret);
    expect(verbose.output).toMatch(/^ {6}> POST http/m);
  });

  it("masks its secret when the agent echoes it", async () => {
    const secret = "s3cret-0f-mine";
    const { url } = await during(
      startPeerServer({
        card: (_, own) => peerCard(own, { dialect: "1.0" }),
        answer: (call) => call.error(-32603, `You sent ${call.headers["x-api-key"]}`),
      }),
    );
    const { output } = await examined(url, "--header", `X-API-Key: ${secret}`, "--only", "operations");
    expect(output).toContain("You sent •••");
    expect(output).not.toContain(secret);
  });

  it("strips escape sequences from an agent's output", async () => {
    const { url } = await during(
      startPeerServer({
        card: (_, own) => peerCard(own, { dialect: "1.0" }),
        answer: (call) => call.error(-32603, "\u001b[2J\u001b]0;mine\u0007gone"),
      }),
    );
    const { output } = await runDoctor(url, "--only", "send");
    expect(output).toContain("gone");
    for (const control of ["\u001b", "\u0007"]) expect(output).not.toContain(control);
  });

  it("reports that an agent requires authentication when only its card is public", async () => {
    const server = await during(
      listening((request, response) => {
        if (request.method === "POST") return void response.writeHead(401).end();
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(peerCard(`http://${request.headers.host}`, { dialect: "1.0" })));
      }),
    );
    const { checks, ids } = await examined(server.url);
    const [verdict] = checks.find(({ id }) => id === "interface-answers")?.verdicts ?? [];
    expect(verdict?.detail).toContain("use --header");
    expect(ids("fail")).toEqual([]);
  });

  it("reports an agent that stops answering during the examination", async () => {
    const agent = await listening((request, response) => {
      if (request.method === "POST") return void agent.stop();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(peerCard(`http://${request.headers.host}`, { dialect: "1.0" })));
    });
    const { checks, code } = await examined(agent.url);
    const details = checks.flatMap(({ verdicts }) => verdicts.map(({ detail }) => detail));
    expect(details).toContain("The agent stopped answering");
    expect(
      details.filter((it) => it.startsWith("Skipped: the agent stopped answering during")).length,
    ).toBeGreaterThan(30);
    expect(code).toBe(1);
  });

  it("verifies a signed card with --key, and detects a changed card", async () => {
    const { signer, keySet } = await makeSigningKey("https://keys.example/jwks.json");
    const folder = await testFolder({ "keys.json": JSON.stringify(keySet) });
    let signed: Record<string, unknown> = {};
    const server = await during(
      listening((_, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(signed));
      }),
    );
    signed = await signCard(peerCard(server.url, { dialect: "1.0" }), signer, ["specification"]);
    const key = ["--key", `${folder}/keys.json`, "--only", "card-signature"];
    expect((await examined(server.url, ...key)).ids("pass")).toEqual(["card-signature"]);
    signed = { ...signed, description: "Another" };
    const { found, code } = await examined(server.url, ...key);
    expect([code, found("card-signature")]).toEqual([1, expect.stringContaining("over another card")]);
  });

  it("exits with 130 at Ctrl-C", async () => {
    const peer = await during(startEndlessPeer());
    const child = spawn(process.execPath, [MAIN, "doctor", peer.url], { stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await vi.waitFor(
      () => expect(peer.requests.map(({ method }) => method)).toContain("SendMessage"),
      20_000,
    );
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([130, null]);
  });

  it.each([["send"], ["stream"]])(
    "cancels the tasks it started by %s after Ctrl-C, over every binding, and no others",
    async (operation) => {
      const executor: Executor = {
        execute: ({ signal }) => once(signal, "abort").then(() => undefined),
      };
      const agent = await during(startConformanceAgent({ port: 0, grpcPort: 0, coalesce: false, executor }));
      const client = await A2AClient.connect(agent.url, {
        policy: { allowOrigins: [new URL(agent.url).origin] },
        accept: ({ binding }) => binding === "JSONRPC",
      });
      const message = { messageId: "mine", role: "ROLE_USER", parts: [{ text: "Wait" }] } as const;
      const mine = await client.send({ message, configuration: { returnImmediately: true } });
      const states = async () =>
        (await client.list({ pageSize: 50 })).tasks.map(({ status }) => status.state).sort();
      const args = [MAIN, "doctor", agent.url, "--only", operation, "--timeout", "3", "--allow", agent.url];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      // By a stream it is canceled when its time is over; the next ways are interrupted on the way.
      await expect.poll(async () => (await states()).length, { timeout: 60_000 }).toBeGreaterThan(2);
      child.kill("SIGINT");
      expect(await once(child, "exit")).toEqual([130, null]);
      const left = (await states()).filter((state) => state !== "TASK_STATE_CANCELED");
      expect(left).toEqual(["TASK_STATE_WORKING"]);
      await client.cancel({ id: "task" in mine ? mine.task.id : "" });
    },
  );

  it("cancels a task that does not end within --timeout", async () => {
    const peer = await during(startEndlessPeer());
    const { found } = await examined(peer.url, "--timeout", "1", "--only", "stream-end");
    expect(found("stream-end")).toContain("Did not end within 1 s");
    expect(peer.canceled).toHaveLength(1);
  });
});
