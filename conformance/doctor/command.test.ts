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
    [["not a url"], "An agent's address is like http://localhost:8001"],
    [["ftp://example.com"], "An agent's address is like"],
    [["http://user:word@localhost:1"], "Give credentials with --header"],
    [["http://localhost:1", "--only", "nonsense"], "No check is about nonsense"],
    [["http://localhost:1", "--header", "nonsense"], "--header is like"],
    [["http://localhost:1", "--key", "/no/such/file"], "is not a key"],
    [["http://localhost:1", "--timeout", "soon"], "number of seconds"],
    [[], "missing required argument 'url'"],
    [["http://localhost:1", "--nonsense"], "unknown option"],
  ])("refuses %j with exit code 2", async (args, words) => {
    const { code, output, errors } = await runDoctor(...args);
    expect([code, output]).toEqual([2, ""]);
    expect(errors).toContain(words);
  });

  it("says in its help that it sends real messages, and what its exit codes mean", async () => {
    const { code, output } = await runDoctor("--help");
    expect(code).toBe(0);
    expect(output).toMatch(/sends real messages/);
    expect(output).toMatch(/Exit codes: 0 no MUST is violated/);
  });

  it("names its checks without asking anybody", async () => {
    const { code, output } = await runDoctor("--list");
    expect(code).toBe(0);
    expect(output).toMatch(/^ {2}stream-end +A stream ends/m);
  });

  it("writes a report by topic, with a sign, what was found and what to do", async () => {
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
    expect(output).toMatch(/^Card\n✓ The card is at/);
    expect(output).toMatch(
      /✗ Tasks can be listed.*\[list\]\n {4}1\.0 JSON-RPC: -32601.*\n {4}→ Answer ListTasks/,
    );
    expect(output).toMatch(/! The card is signed/);
    expect(output).toMatch(/– The card's signature holds/);
    expect(output).toMatch(/The protocol is violated: \d+ passed, 1 failed, \d+ warnings/);
    expect(output).not.toContain("\u001b");
  });

  it("fails for warnings only when it is told to", async () => {
    const { url } = await during(startSlowPeer({ pause: 1 }));
    expect((await examined(url, "--only", "error-request")).code).toBe(0);
    expect((await examined(url, "--only", "error-request", "--strict")).code).toBe(1);
    // Good to know is no reason to fail.
    expect((await examined(url, "--only", "card-signed", "--strict")).code).toBe(0);
  });

  it("asks what it is told to ask, and sends its header to the agent alone, and shows it nowhere", async () => {
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

  it("takes its secret out of what the agent repeats", async () => {
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

  it("takes escape sequences out of what an agent says", async () => {
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

  it("says that an agent wants authentication, where only its card is public", async () => {
    const server = await during(
      listening((request, response) => {
        if (request.method === "POST") return void response.writeHead(401).end();
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(peerCard(`http://${request.headers.host}`, { dialect: "1.0" })));
      }),
    );
    const { checks, ids } = await examined(server.url);
    const [verdict] = checks.find(({ id }) => id === "interface-answers")?.verdicts ?? [];
    expect(verdict?.detail).toContain("give it with --header");
    expect(ids("fail")).toEqual([]);
  });

  it("says when an agent goes away under examination", async () => {
    const agent = await listening((request, response) => {
      if (request.method === "POST") return void agent.stop();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(peerCard(`http://${request.headers.host}`, { dialect: "1.0" })));
    });
    const { checks, code } = await examined(agent.url);
    const details = checks.flatMap(({ verdicts }) => verdicts.map(({ detail }) => detail));
    expect(details).toContain("Since then nothing answers: the agent is gone");
    expect(details.filter((it) => it.startsWith("The agent went away during")).length).toBeGreaterThan(30);
    expect(code).toBe(1);
  });

  it("verifies a signed card by a key that it is given, and finds a card that was changed", async () => {
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

  it("ends at Ctrl-C with 130, and cancels nothing but what it left", async () => {
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
    "after Ctrl-C cancels what it began by %s, over every binding, and leaves other tasks alone",
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

  it("is bounded: a task that never ends is left after its time, and canceled", async () => {
    const peer = await during(startEndlessPeer());
    const { found } = await examined(peer.url, "--timeout", "1", "--only", "stream-end");
    expect(found("stream-end")).toContain("It did not end within 1 s");
    expect(peer.canceled).toHaveLength(1);
  });
});
