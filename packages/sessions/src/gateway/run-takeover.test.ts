import { A2AClient } from "@parley/a2a";
import { expect, it } from "vitest";
import { OpenSession } from "../open-session.ts";
import { runStream } from "../session-streams.ts";
import type { AgentAddress } from "./agent-calls.ts";
import type { RunFrame } from "./run-frame.ts";
import { DirectAgents } from "./testing/direct-agents.ts";
import { openJournal, startAgent, startGateway } from "./testing/gateway.ts";
import { JournalSessions } from "./testing/journal-sessions.ts";
import { RunTransform } from "./transform/run-transform.ts";

it("a piece that was recorded before its cursor came is not said again by whoever takes the run over (invariant 7)", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const agent = await startAgent({
    executor: {
      async execute(context) {
        const answer = context.artifact({ artifactId: "answer" });
        for (const word of ["one ", "two "]) await answer.text(word);
        await gate;
        await answer.close([{ text: "three" }]);
        return undefined;
      },
    },
  });
  const journal = await openJournal("memory");
  const sessions = new JournalSessions(journal);
  const runId = await sessions.ask("s1", "Count", agent);
  const transform = new RunTransform(runId);
  const lease = await journal.acquire(runStream(runId));
  const session = new OpenSession(journal, "s1");
  const record = (frame: RunFrame) => {
    const events = "event" in frame ? transform.accept(frame.event) : [];
    return session.append(lease, runId, events, [frame]);
  };
  await record({ asked: { agent: agent.name, agentUrl: agent.url, key: runId } });
  const client = await A2AClient.connect(agent.url, { policy: { allowOrigins: [agent.url] } });
  const message = { messageId: runId, role: "ROLE_USER", parts: [{ text: "Count" }] } as const;
  for await (const sent of client.stream({ message }, { idempotencyKey: runId })) {
    const isLast = JSON.stringify(sent.event).includes("two ");
    await record(isLast ? { event: sent.event } : sent);
    if (isLast) break;
  }
  await lease.release();
  const gateway = await startGateway({ journal });
  open();
  const { messages } = await gateway.sessions.ended("s1", runId);
  expect(messages.at(-1)?.content).toBe("one two three");
});

/** The first call waits until it is let go on. */
class StuckAgents extends DirectAgents {
  readonly stuck = Promise.withResolvers<void>();
  readonly released = Promise.withResolvers<void>();
  #calls = 0;

  override async clientFor(address: AgentAddress): Promise<A2AClient> {
    if (this.#calls++ === 0) {
      this.stuck.resolve();
      await this.released.promise;
    }
    return super.clientFor(address);
  }
}

it("a run whose lease was lost is taken up again by the same node, though what it did before has not noticed (invariant 6)", async () => {
  const agent = await startAgent({
    executor: { execute: async () => ({ state: "completed", message: "Hi" }) },
  });
  const agents = new StuckAgents();
  const journal = await openJournal("Postgres", 600);
  const { sessions, runner, problems } = await startGateway({ journal, agents });
  const runId = await sessions.ask("s1", "Hello", agent);
  await agents.stuck.promise;
  await journal.database.query(
    "UPDATE streams SET epoch = epoch + 1, lease_owner = NULL, lease_until = NULL WHERE name = $1",
    [runStream(runId)],
  );
  const { messages } = await sessions.ended("s1", runId);
  expect(messages.map(({ content }) => content)).toEqual(["Hello", "Hi"]);
  expect(runner.underWay).toBeGreaterThan(0);
  agents.released.resolve();
  await runner.idle();
  expect((await sessions.session("s1").current()).messages).toHaveLength(2);
  expect(problems).toEqual([]);
});
