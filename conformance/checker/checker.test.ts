import { describe, expect, it } from "vitest";
import { startConformanceAgent } from "../conformance-agent.ts";
import {
  numberedTokens,
  startAskingPeer,
  startCaipePeer,
  startEndlessPeer,
  startFailingPeer,
  startFaultyPeer,
  startFilePeer,
  startLegacySdkPeer,
  startMessagePeer,
  startScriptedPeer,
  startSdkPeer,
  startSlowPeer,
  startTaskPeer,
  startV01Peer,
} from "../peers/index.ts";
import { listening } from "../peers/peer-server.ts";
import { call, connect, during, hello } from "../peers/testing/peer-client.ts";
import { clientFor, request, seen, WAYS } from "../testing/agent-client.ts";
import { startCuttingProxy } from "../testing/cutting-proxy.ts";
import { overlap, startChecker } from "./index.ts";

const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }], contextId: "c1" };

describe("the checker as a proxy", () => {
  it("forwards every byte and header of a stream unchanged", async () => {
    const peer = await during(startFaultyPeer("garbage between frames"));
    const checker = await during(startChecker(peer.url));
    const read = async (url: string) => {
      const response = await call(url, "tasks/sendSubscribe", { id: "t1", message });
      const headers = ["content-type", "cache-control"].map((name) => response.headers.get(name));
      return [response.status, headers, await response.text()];
    };
    expect(await read(checker.url)).toEqual(await read(peer.url));
  });

  it("forwards plain responses and errors unchanged", async () => {
    const peer = await during(startFaultyPeer("no stream method"));
    const checker = await during(startChecker(peer.url));
    const ask = async (url: string) => (await call(url, "SendStreamingMessage", { message })).json();
    expect(await ask(checker.url)).toEqual(await ask(peer.url));
    expect((await fetch(`${checker.url}/nothing`)).status).toBe(404);
    expect(checker.report().streams).toEqual([]);
  });

  it("truncates a card when its target does", async () => {
    const peer = await during(
      listening((_, response) => {
        response.writeHead(200, { "content-length": 1_000 }).write("{");
        setTimeout(() => response.destroy(), 50);
      }),
    );
    const checker = await during(startChecker(peer.url));
    await expect(fetch(`${checker.url}/.well-known/agent-card.json`)).rejects.toThrow();
  });

  it("forwards headers before the first event, and each event before the next one arrives", async () => {
    const headers = Promise.withResolvers<void>();
    const { promise, resolve } = Promise.withResolvers<void>();
    const peer = await during(
      startScriptedPeer({
        async *steps(say) {
          await headers.promise;
          yield say.task();
          await promise;
          yield say.status("WORKING");
          yield say.status("COMPLETED");
        },
      }),
    );
    const checker = await during(startChecker(peer.url));
    const response = await call(checker.url, "SendStreamingMessage", { message });
    headers.resolve();
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("TASK_STATE_SUBMITTED");
    expect(checker.report().streams).toMatchObject([{ events: 1, end: "open" }]);
    resolve();
    while (!(await reader?.read())?.done);
    expect(checker.report()).toMatchObject({ streams: [{ events: 3, end: "closed" }], violations: [] });
  });

  it.each([
    ["CAIPE", startCaipePeer, "0.3"],
    ["v0.1", startV01Peer, "0.1"],
    ["SDK 0.3.14", startLegacySdkPeer, "0.3"],
    ["SDK 1.3.0", startSdkPeer, "1.0"],
    ["asking", startAskingPeer, "1.0"],
    ["failing", startFailingPeer, "1.0"],
    ["slow", startSlowPeer, "1.0"],
    ["file", startFilePeer, "1.0"],
    ["message", startMessagePeer, "1.0"],
  ] as const)(
    "is the target in the %s peer's rewritten card, and reports no violation",
    async (_, start, dialect) => {
      const peer = await during(start());
      const checker = await during(startChecker(peer.url));
      const task = await seen((await connect(checker.url)).stream(hello()));
      const { streams, violations } = checker.report();
      expect(violations).toEqual([]);
      expect(streams).toMatchObject([{ dialect, end: "closed" }]);
      expect(Object.values(streams[0]?.texts ?? {}).join("")).toBe(task.text);
    },
  );

  it.each(WAYS.filter(({ binding }) => binding !== "GRPC"))(
    "reports no violation of our own agent in $name, however often its streams are cut",
    async (way) => {
      const agent = await during(startConformanceAgent({ port: 0 }));
      const checker = await during(startChecker(agent.url));
      const plan = (connection: number) => (connection % 4 === 3 ? undefined : 1_500);
      const proxy = await during(startCuttingProxy(Number(new URL(checker.url).port), plan));
      const reconnect = { tries: 20, firstDelayMs: 1, maxDelayMs: 5 };
      const client = await clientFor(way, checker.url, { proxy: proxy.port, limits: { reconnect } });
      const text = "0123456789 👍🏽 ".repeat(60);
      const task = await seen(client.stream(request("echo-1-a", text)));
      expect([task.text, task.gaps]).toEqual([text, []]);
      expect(proxy.cuts()).toBeGreaterThan(0);
      await expect.poll(() => checker.report().streams.every(({ end }) => end !== "open")).toBe(true);
      const { streams, violations } = checker.report();
      expect(violations).toEqual([]);
      expect(streams.length).toBeGreaterThan(1);
      expect(Object.values(streams.at(-1)?.texts ?? {})).toEqual([text]);
    },
  );

  it("detects which artifacts overlap in time", async () => {
    const peer = await during(
      startTaskPeer(async (task) => {
        task.status("WORKING");
        const tell = (artifactId: string) => task.text({ artifactId }, numberedTokens(5), 5);
        await Promise.all([tell("git"), tell("files")]);
        await tell("after");
        task.status("COMPLETED");
      }),
    );
    const checker = await during(startChecker(peer.url));
    await (await call(checker.url, "SendStreamingMessage", { message })).text();
    const [git, files, after] = checker.report().streams[0]?.artifacts ?? [];
    if (!git || !files || !after) throw new Error("an artifact is missing");
    expect([overlap(git, files), overlap(files, git), overlap(git, after)]).toEqual([true, true, false]);
  });

  it("distinguishes a broken stream from one whose reader disconnected", async () => {
    const peer = await startEndlessPeer();
    const checker = await during(startChecker(peer.url));
    const client = await connect(checker.url);
    const ends = () => checker.report().streams.map(({ end }) => end);
    const events = client.stream(hello());
    await events.next();
    await events.return();
    await expect.poll(ends).toEqual(["left"]);
    const response = await call(checker.url, "SendStreamingMessage", { message });
    await peer.stop();
    await expect(response.text()).rejects.toThrow();
    await expect.poll(ends).toEqual(["left", "broken"]);
    expect(checker.report().violations).toEqual([]);
  });

  it("disconnects from its target when a reader disconnects", async () => {
    let isLeft = false;
    const peer = await during(
      startScriptedPeer({
        *steps(say) {
          try {
            for (;;) yield* [say.task(), { pause: 5 }];
          } finally {
            isLeft = true;
          }
        },
      }),
    );
    const checker = await during(startChecker(peer.url));
    const response = await call(checker.url, "SendStreamingMessage", { message });
    expect(isLeft).toBe(false);
    await response.body?.cancel();
    await expect.poll(() => isLeft).toBe(true);
  });

  it("breaks the connection where its target does, because only a call that never arrived may be retried", async () => {
    const target = await during(listening((request) => request.socket.destroy()));
    const checker = await during(startChecker(target.url));
    await expect(call(checker.url, "SendMessage", { message })).rejects.toThrow("fetch failed");
  });

  it("answers 503 while its target is down, and follows it to its next address", async () => {
    const first = await startSlowPeer();
    let target = first.url;
    const checker = await during(startChecker(() => target));
    await first.stop();
    expect((await call(checker.url, "GetTask", { id: "x" })).status).toBe(503);
    const second = await during(startSlowPeer());
    target = second.url;
    const task = await seen((await connect(checker.url)).stream(hello()));
    expect(task.text).toBe(numberedTokens(20).join(""));
  });

  it("rewrites the addresses in cards and drops interfaces that bypass it", async () => {
    const elsewhere = { protocolBinding: "GRPC", protocolVersion: "1.0", url: "127.0.0.1:1" };
    const peer = await during(
      startScriptedPeer({
        steps: () => [],
        card: ({ supportedInterfaces, ...own }) => ({
          ...own,
          url: String((supportedInterfaces as { url: string }[])[0]?.url).replace("127.0.0.1", "localhost"),
          supportedInterfaces: [...(supportedInterfaces as { url: string }[]), elsewhere] as never,
        }),
      }),
    );
    const checker = await during(startChecker(peer.url));
    const card = await (await fetch(`${checker.url}/.well-known/agent-card.json`)).json();
    expect(card).toMatchObject({ url: checker.url, supportedInterfaces: [{ url: checker.url }] });
  });
});
