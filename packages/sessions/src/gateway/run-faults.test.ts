import { setTimeout as sleep } from "node:timers/promises";
import type { A2AClient, Executor } from "@parley/a2a";
import { type Journal, StorageUnavailableError } from "@parley/journal";
import { patient } from "@parley/testing/patient.ts";
import { expect, it } from "vitest";
import { sessionStream } from "../session-streams.ts";
import type { AgentAddress } from "./agent-calls.ts";
import { DirectAgents } from "./testing/direct-agents.ts";
import { openJournal, startAgent, startGateway } from "./testing/gateway.ts";
import { joinedAnswer } from "./testing/joined-answer.ts";
import { JournalSessions } from "./testing/journal-sessions.ts";
import { ServedAgent } from "./testing/served-agent.ts";

const PIECES = Array.from({ length: 40 }, (_, at) => `piece ${at}, `);
const WHOLE = PIECES.join("");

/** Says its pieces slowly; `reached` hears how far it is. */
function talker(reached: (at: number) => void = () => {}, pause = 10): Executor {
  return {
    async execute(context) {
      const artifact = context.artifact({ name: "current_result" });
      for (const [at, piece] of PIECES.entries()) {
        await artifact.text(piece);
        reached(at);
        await sleep(pause, undefined, { signal: context.signal });
      }
      await artifact.close();
      return undefined;
    },
  };
}

it("invariant 6: an agent that is gone for good ends the run as failed with the reason, within 15 s, with what it had said", async () => {
  const half = Promise.withResolvers<void>();
  const agent = await ServedAgent.start({ executor: talker((at) => at === 20 && half.resolve()) });
  const { sessions } = await startGateway({ limits: { sentPatienceMs: 500 } });
  const runId = await sessions.ask("s1", "Talk", agent);
  await half.promise;
  await sessions.until("s1", ({ runs }) => (runs.get(runId)?.texts.size ?? 0) > 0);
  const gone = performance.now();
  await agent.stop();
  await agent.engine.suspend();
  const state = await sessions.ended("s1", runId);
  expect(performance.now() - gone).toBeLessThan(patient(15_000));
  const run = state.runs.get(runId);
  expect(run).toMatchObject({
    status: "failed",
    reason: expect.stringMatching(/cannot be reached|was lost/),
  });
  expect(WHOLE.startsWith(state.messages.at(-1)?.content ?? "-")).toBe(true);
});

it("S4.10: an agent that has lost its task begins anew from the same snapshot, and its text with it", async () => {
  const half = Promise.withResolvers<void>();
  const agent = await ServedAgent.start({ executor: talker((at) => at === 10 && half.resolve()) });
  const { sessions } = await startGateway({ limits: { patienceMs: 100 } });
  const runId = await sessions.ask("s1", "Talk", agent);
  await half.promise;
  await sessions.until("s1", ({ runs }) => (runs.get(runId)?.texts.size ?? 0) > 0);
  await agent.stop();
  await agent.engine.suspend();
  await startAgent({ executor: talker(), port: agent.port });
  const state = await sessions.ended("s1", runId);
  const events = await sessions.events("s1");
  expect(state.messages.at(-1)?.content).toBe(WHOLE);
  expect(joinedAnswer(events)).toBe(WHOLE);
  expect(events.filter((event) => event.type === "agent_token_start" && event.restart)).toHaveLength(1);
});

it("invariant 7: an agent whose port goes away in the middle of its task loses and doubles nothing", async () => {
  const half = Promise.withResolvers<void>();
  const agent = await ServedAgent.start({ executor: talker((at) => at === 10 && half.resolve(), 20) });
  const { sessions } = await startGateway({ limits: { patienceMs: 100 } });
  const runId = await sessions.ask("s1", "Talk", agent);
  await half.promise;
  // Only its port goes, for longer than one that has no message would be waited for; the task works on.
  await agent.stop();
  await sleep(500);
  await startAgent({ executor: { ...talker(), resumes: true }, port: agent.port, journal: agent.journal });
  const state = await sessions.ended("s1", runId);
  expect(state.messages.at(-1)?.content).toBe(WHOLE);
  expect(joinedAnswer(await sessions.events("s1"))).toBe(WHOLE);
});

it("S4.27: where an agent cannot be reached, another that can do the same answers, and the message says who", async () => {
  const other = await startAgent({ name: "other", executor: talker(undefined, 0) });
  const gone = await ServedAgent.start({ executor: talker() });
  await gone.stop();
  const others = [{ agent: "other", agentUrl: other.url }];
  const { sessions } = await startGateway({ others, limits: { patienceMs: 300 } });
  const runId = await sessions.ask("s1", "Talk", gone);
  const state = await sessions.ended("s1", runId);
  expect(state.messages.at(-1)).toMatchObject({ content: WHOLE, agent: "other" });
  const notices = (await sessions.events("s1")).filter((event) => event.type === "agent_status");
  expect(notices[0]).toMatchObject({
    agent: "other",
    text: expect.stringContaining("other is asked instead"),
  });
});

it("S4.27: an agent that is back in time answers as if nothing had been", async () => {
  const before = await ServedAgent.start({ executor: talker() });
  await before.stop();
  const tried = Promise.withResolvers<void>();
  const { sessions } = await startGateway({ observer: { retrying: () => tried.resolve() } });
  const runId = await sessions.ask("s1", "Talk", before);
  await tried.promise;
  await startAgent({ executor: talker(undefined, 0), port: before.port });
  expect((await sessions.ended("s1", runId)).messages.at(-1)?.content).toBe(WHOLE);
});

it("an agent that says nothing for too long is stopped, and its run ends with the reason (invariant 6)", async () => {
  const stopped = Promise.withResolvers<void>();
  const agent = await startAgent({
    executor: {
      async execute({ signal }) {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        stopped.resolve();
        return undefined;
      },
    },
  });
  // Long enough to hear which task is to be stopped, however busy the machine is.
  const { sessions } = await startGateway({ limits: { silenceMs: 5_000 } });
  const runId = await sessions.ask("s1", "Talk", agent);
  const state = await sessions.ended("s1", runId);
  expect(state.runs.get(runId)).toMatchObject({
    status: "failed",
    reason: expect.stringContaining("said nothing"),
  });
  await stopped.promise;
});

/** Agents of which nothing is heard for a while after they have got their message. */
class LateAgents extends DirectAgents {
  readonly #milliseconds: number;

  constructor(milliseconds: number) {
    super();
    this.#milliseconds = milliseconds;
  }

  override async clientFor(address: AgentAddress): Promise<A2AClient> {
    const client = await super.clientFor(address);
    const late = this.#milliseconds;
    const stream: A2AClient["stream"] = async function* (request, options) {
      let isFirst = true;
      for await (const event of client.stream(request, options)) {
        if (isFirst) await sleep(late, undefined, { signal: options?.signal }).catch(() => {});
        options?.signal?.throwIfAborted();
        isFirst = false;
        yield event;
      }
    };
    return new Proxy(client, {
      get: (target, name) => {
        if (name === "stream") return stream;
        const member = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }
}

it("an agent that names its task only after it was silent for too long is stopped all the same (invariant 6)", async () => {
  const stopped = Promise.withResolvers<void>();
  const agent = await startAgent({
    executor: {
      async execute({ signal }) {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        stopped.resolve();
        return undefined;
      },
    },
  });
  const limits = { silenceMs: 500, cancelMs: 30_000 };
  const { sessions } = await startGateway({ agents: new LateAgents(2_000), limits });
  const runId = await sessions.ask("s1", "Talk", agent);
  const state = await sessions.ended("s1", runId);
  expect(state.runs.get(runId)).toMatchObject({
    status: "failed",
    reason: expect.stringContaining("said nothing"),
  });
  await stopped.promise;
});

/** The journal with a storage that answers late, or not always. */
function withStorage(
  journal: Journal,
  call: "appendAll" | "read",
  before: (...given: unknown[]) => Promise<void>,
  after: (...given: unknown[]) => Promise<void> = async () => {},
): Journal {
  return new Proxy(journal, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name !== call) return member.bind(target);
      return async (...given: unknown[]) => {
        await before(...given);
        const outcome = await member.apply(target, given);
        await after(...given);
        return outcome;
      };
    },
  });
}

it("S4.9: a slow database gets the tokens in larger pieces, and all of them", async () => {
  const agent = await startAgent({ executor: talker(undefined, 2) });
  const journal = withStorage(await openJournal("SQLite"), "appendAll", () => sleep(250));
  const { sessions } = await startGateway({ journal });
  const state = await sessions.ended("s1", await sessions.ask("s1", "Talk", agent));
  const events = await sessions.events("s1");
  expect(state.messages.at(-1)?.content).toBe(WHOLE);
  expect(joinedAnswer(events)).toBe(WHOLE);
  expect(events.filter(({ type }) => type === "agent_token").length).toBeLessThan(PIECES.length / 2);
});

it("invariants 6 and 7: a database that goes away and comes back loses and doubles nothing", async () => {
  const agent = await startAgent({ executor: talker() });
  let count = 0;
  const away = () => count++ > 6 && count < 12;
  const journal = withStorage(await openJournal("SQLite"), "appendAll", async () => {
    if (away()) throw new StorageUnavailableError("The database", "it is away");
  });
  const { sessions } = await startGateway({ journal });
  const state = await sessions.ended("s1", await sessions.ask("s1", "Talk", agent));
  expect(count).toBeGreaterThan(12);
  expect(state.messages.at(-1)?.content).toBe(WHOLE);
  expect(joinedAnswer(await sessions.events("s1"))).toBe(WHOLE);
});

it.each([
  { moment: "before its message is sent", lost: /"asked"/ },
  { moment: "before the task that it began is recorded", lost: /"event":/ },
])(
  "invariant 7: storage that goes away $moment does not fail the run of an agent that cannot be asked which tasks it has",
  async ({ lost }) => {
    let executions = 0;
    const executor: Executor = {
      execute(context) {
        executions++;
        return talker(undefined, 0).execute(context);
      },
    };
    const agent = await startAgent({ executor, speaksExtension: false, lists: false });
    let failures = 0;
    const away = async (isNews: boolean, given: unknown[]) => {
      if (failures > 0 || !lost.test(JSON.stringify(given)) || !isNews) return;
      failures++;
      throw new StorageUnavailableError("The database", "its answer was lost");
    };
    const isTaken = lost.test('"asked"');
    const journal = withStorage(
      await openJournal("SQLite"),
      "appendAll",
      (...given) => away(!isTaken, given),
      (...given) => away(isTaken, given),
    );
    const { sessions } = await startGateway({ journal });
    const state = await sessions.ended("s1", await sessions.ask("s1", "Talk", agent));
    expect(failures).toBe(1);
    expect(executions).toBe(1);
    expect(state.messages.at(-1)?.content).toBe(WHOLE);
  },
);

it("invariant 6: a session that cannot be read for a moment while its agent speaks ends neither the run nor the process", async () => {
  const speaks = Promise.withResolvers<void>();
  const agent = await startAgent({ executor: talker((at) => at === 0 && speaks.resolve()) });
  let isSpeaking = false;
  void speaks.promise.then(() => {
    isSpeaking = true;
  });
  let failures = 0;
  const whole = await openJournal("SQLite");
  const journal = withStorage(whole, "read", async (stream) => {
    if (!isSpeaking || stream !== sessionStream("s1") || failures >= 3) return;
    failures++;
    throw new StorageUnavailableError("The database", "it is away");
  });
  const undelivered: Error[] = [];
  const { sessions } = await startGateway({
    journal,
    observer: { undelivered: (_, error) => undelivered.push(error) },
  });
  const runId = await sessions.ask("s1", "Talk", agent);
  const state = await new JournalSessions(whole).ended("s1", runId);
  expect(failures).toBe(3);
  expect(undelivered).not.toEqual([]);
  expect(state.messages.at(-1)?.content).toBe(WHOLE);
});
