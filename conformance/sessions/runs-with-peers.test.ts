import { describe, expect, it, onTestFinished } from "vitest";
import {
  CAIPE_TOKENS,
  FAULTS,
  FAULTY_TEXT,
  type Fault,
  numberedTokens,
  type Peer,
  SDK_TOKENS,
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
  startV01Peer,
} from "../peers/index.ts";
import { RecordedSession, textsOf } from "./testing/recorded-session.ts";

const started = async (peer: Promise<Peer>) => {
  const running = await peer;
  onTestFinished(() => running.stop());
  return running;
};

const TOKENS = numberedTokens(20).join("");

describe("a run of a third-party agent (S4.9, S4.22, S4.23, S4.26, invariant 9)", () => {
  it.each<[string, () => Promise<Peer>, string]>([
    ["v1.0", () => startSlowPeer({ pause: 1 }), TOKENS],
    ["v0.3", () => startSlowPeer({ pause: 1, dialect: "0.3" }), TOKENS],
    ["v0.1", () => startV01Peer(), TOKENS],
    ["v0.1 without streams", () => startV01Peer({ streaming: false }), TOKENS],
    ["the first seed, with tokens as statuses", () => startCaipePeer(), CAIPE_TOKENS.join("")],
    ["the official SDK", () => startSdkPeer(), SDK_TOKENS.join("")],
    ["the official SDK before 1.0", () => startLegacySdkPeer(), SDK_TOKENS.join("")],
    ["a plain message", () => startMessagePeer(), "Just a word"],
  ])("records the whole answer: %s", async (_, start, whole) => {
    const peer = await started(start());
    const session = await RecordedSession.start();
    await session.ask("Hello", peer.url);
    const state = await session.ended();
    const events = await session.events();
    expect(textsOf(events, "answer").join("")).toBe(whole);
    expect(events.filter(({ type }) => type === "agent_complete")).toMatchObject([
      { state: "completed", content: whole },
    ]);
    expect(state.messages.at(-1)).toMatchObject({ role: "assistant", content: whole, agent: "agent" });
  });

  it("stores files and data from agents", async () => {
    const session = await RecordedSession.start();
    await session.ask("A file", (await started(startFilePeer())).url);
    await session.ended();
    await session.ask("Data", (await started(startSdkPeer())).url);
    await session.ended();
    const artifacts = (await session.events()).filter((event) => event.type === "agent_artifact");
    expect(artifacts.map(({ parts }) => parts)).toMatchObject([
      [{ filename: "mugs.csv", mediaType: "text/csv" }],
      [{ data: { keys: 2 } }],
    ]);
  });

  it("fails with the agent's reason and keeps the partial answer", async () => {
    const session = await RecordedSession.start();
    await session.ask("Hello", (await started(startFailingPeer())).url);
    await session.ended();
    const [end] = (await session.events()).filter(({ type }) => type === "agent_complete");
    expect(end).toMatchObject({ state: "failed", reason: "The disk is on fire", content: "Half of the ans" });
  });

  it("is cancelled at the agent too (S4.23)", async () => {
    const peer = await started(startEndlessPeer());
    const session = await RecordedSession.start();
    const runId = await session.ask("Hello", peer.url);
    await session.until(({ runs }) => runs.get(runId)?.texts.size === 1);
    const state = await session.say({ type: "cancelRun", runId });
    expect(state.messages.at(-1)?.content).toBe("Working");
    await expect.poll(() => peer.canceled.length).toBe(1);
  });

  it.each(["1.0", "0.3", "0.1"] as const)(
    "asks the user, and continues in another gateway with the answer: %s (+7)",
    async (dialect) => {
      const peer = await started(startAskingPeer({ dialect }));
      const session = await RecordedSession.start();
      await session.ask("Buy", peer.url);
      const asked = await session.until(({ approvals }) => approvals.size > 0);
      await session.takeOver();
      const [approval] = asked.approvals.values();
      expect(approval?.question).toBe("Which one?");
      const approvalId = approval?.id ?? "";
      await session.say({ type: "answerApproval", approvalId, decision: "answered", text: "The blue one" });
      expect((await session.ended()).messages.at(-1)?.content).toBe("You said: The blue one");
    },
  );

  it.each<[string, () => Promise<Peer>]>([
    ["v1.0", () => startSlowPeer()],
    ["v0.3", () => startSlowPeer({ dialect: "0.3" })],
    ["v0.1", () => startV01Peer({ pause: 20 })],
  ])("is taken over midway without loss or duplicates: %s (invariants 6 and 7)", async (_, start) => {
    const peer = await started(start());
    const session = await RecordedSession.start();
    const runId = await session.ask("Hello", peer.url);
    await session.until(({ runs }) => runs.get(runId)?.texts.size === 1);
    await session.takeOver();
    expect((await session.ended()).messages.at(-1)?.content).toBe(TOKENS);
    expect(textsOf(await session.events(), "answer").join("")).toBe(TOKENS);
    expect(peer.requests.filter(({ text }) => text !== "")).toHaveLength(1);
  });
});

it("a run cancelled before its agent returns a task id is cancelled at the agent as soon as it does (invariant 12)", async () => {
  const peer = await started(
    startScriptedPeer({
      *steps(say) {
        yield { pause: 300 };
        yield say.task("WORKING");
        for (let place = 0; place < 500; place++) {
          yield say.piece("word ", { append: place > 0 });
          yield { pause: 10 };
        }
      },
    }),
  );
  const session = await RecordedSession.start();
  const runId = await session.ask("Hello", peer.url);
  await expect.poll(() => peer.requests.length).toBe(1);
  await session.say({ type: "cancelRun", runId });
  await expect.poll(() => peer.canceled.length).toBe(1);
  expect((await session.events()).at(-1)).toMatchObject({ type: "agent_cancelled", content: "" });
});

const ENDLESS = "endless stream";

describe("a run of a faulty agent", () => {
  it("can be cancelled during an endless stream and records nothing afterwards (invariant 12)", async () => {
    const peer = await started(startFaultyPeer(ENDLESS));
    const session = await RecordedSession.start();
    const runId = await session.ask("Hello", peer.url);
    await session.until(({ runs }) => runs.get(runId)?.texts.size === 1);
    await session.say({ type: "cancelRun", runId });
    await expect.poll(() => peer.canceled.length).toBe(1);
    expect((await session.events()).at(-1)).toMatchObject({ type: "agent_cancelled", runId });
  });

  it.each((Object.keys(FAULTS) as Fault[]).filter((fault) => fault !== ENDLESS))(
    "ends with its joined tokens as content when the agent has the fault %s (invariants 6 and 9)",
    { timeout: 180_000 },
    async (fault) => {
      const peer = await started(startFaultyPeer(fault));
      const session = await RecordedSession.start({ silenceMs: 3_000 });
      await session.ask("Hello", peer.url);
      await session.ended();
      const events = await session.events();
      const [end, ...more] = events.filter((event) => event.type === "agent_complete");
      expect(more).toEqual([]);
      expect(textsOf(events, "answer").join("")).toBe(end?.content);
      if (end?.state === "failed") expect(end.reason).toBeTruthy();
      else if (!/MB|10,000|before it was begun/.test(fault)) expect(end?.content).toBe(FAULTY_TEXT);
    },
  );
});
