import {
  approvalAnswer,
  approvalRequest,
  type ExecutionContext,
  type Message,
  memberIn,
  memberPart,
  sessionSnapshot,
} from "@parley/a2a";
import { describe, expect, it } from "vitest";
import type { RunFrame } from "./run-frame.ts";
import { framesOf } from "./run-record.ts";
import { startAgent, startGateway } from "./testing/gateway.ts";
import { joinedAnswer } from "./testing/joined-answer.ts";

const words = async (context: ExecutionContext, ...pieces: readonly string[]) => {
  const artifact = context.artifact({ name: "current_result" });
  for (const piece of pieces) await artifact.text(piece);
  await artifact.close();
};

describe.each(["memory", "SQLite", "Postgres"] as const)("a run on %s", (storage) => {
  it("shows the agent what was said, records each token before it tells it, and ends with the answer and a title (S4.8, S4.9, S4.20, invariants 2 and 9)", async () => {
    const heard: Message[] = [];
    const agent = await startAgent({
      executor: {
        async execute(context) {
          heard.push(context.message);
          await words(context, "Hel", "lo 🧑‍🚀", "!");
          return undefined;
        },
      },
    });
    const { sessions, journal, problems } = await startGateway({ storage });
    const first = await sessions.ask("s1", "Good day to you", agent);
    await sessions.ended("s1", first);
    const second = await sessions.ask("s1", "And again", agent);
    const state = await sessions.ended("s1", second);
    const events = await sessions.events("s1");
    const [complete] = events.filter((event) => event.type === "agent_complete");
    expect(complete).toMatchObject({
      state: "completed",
      content: "Hello 🧑‍🚀!",
      messageId: `${first}-answer`,
    });
    expect(joinedAnswer(events.filter((event) => "runId" in event && event.runId === first))).toBe(
      "Hello 🧑‍🚀!",
    );
    expect(state).toMatchObject({ title: "Good day to you", titledBy: "first exchange" });
    expect(heard[0]?.contextId).toBe(first);
    expect(memberIn(heard[1]?.metadata, sessionSnapshot).value).toEqual({
      ...{ runId: second, sessionId: "s1" },
      messages: [
        { messageId: `${first}-m`, role: "user", text: "Good day to you" },
        { messageId: `${first}-answer`, role: "agent", agent: "agent", text: "Hello 🧑‍🚀!" },
      ],
    });
    const frames: RunFrame[] = [];
    for await (const frame of framesOf(journal, first)) frames.push(frame);
    expect(frames[0]).toEqual({ taken: { sessionId: "s1" } });
    expect(frames.at(-1)).toEqual({ ended: "completed" });
    expect(problems).toEqual([]);
  });

  it("is cancelled at its agent when the session says so, and nothing is recorded after it (S4.23, invariant 12)", async () => {
    const stopped = Promise.withResolvers<void>();
    const agent = await startAgent({
      executor: {
        async execute(context) {
          const artifact = context.artifact({ name: "current_result" });
          context.signal.addEventListener("abort", () => stopped.resolve());
          while (!context.signal.aborted) {
            await artifact.text("word ");
            await new Promise((resolve) => setTimeout(resolve, 2));
          }
          return undefined;
        },
      },
    });
    const { sessions, runner, problems } = await startGateway({ storage });
    const runId = await sessions.ask("s1", "Talk", agent);
    await sessions.until("s1", ({ runs }) => (runs.get(runId)?.texts.size ?? 0) > 0);
    await sessions.execute("s1", { type: "cancelRun", runId });
    await stopped.promise;
    await runner.idle();
    const events = await sessions.events("s1");
    expect(events.at(-1)).toMatchObject({ type: "agent_cancelled", content: joinedAnswer(events) });
    expect(problems).toEqual([]);
  });

  it("waits for a person without a connection, and goes on with the answer after a restart (+7, S4.9)", async () => {
    const answers: Message[] = [];
    const request = { id: "call-1", tool: "pay", arguments: { sum: 5 }, argumentsHash: "hash" };
    const agent = await startAgent({
      executor: {
        async execute(context) {
          const turn = context.task.history?.length ?? 0;
          if (turn < 2) {
            await words(context, "I pay. ");
            const message = [{ text: "May I?" }, memberPart(approvalRequest, request)];
            return { state: "input-required", message };
          }
          answers.push(context.message);
          const artifact = context.artifact({ name: "current_result", artifactId: "second" });
          await artifact.close([{ text: "Paid." }]);
          return undefined;
        },
      },
    });
    const { sessions, runner, journal } = await startGateway({ storage });
    const runId = await sessions.ask("s1", "Pay", agent);
    const asked = await sessions.until("s1", ({ approvals }) => approvals.size > 0);
    await runner.idle();
    await runner.stop();
    const [approval] = asked.approvals.values();
    expect(approval?.request).toMatchObject({ question: "May I?", tool: "pay", argumentsHash: "hash" });
    expect(asked.runs.get(runId)?.status).toBe("waiting");
    // Days later, in another process.
    const later = await startGateway({ journal });
    await later.runner.idle();
    const approvalId = approval?.id ?? "";
    await later.sessions.execute("s1", { type: "answerApproval", approvalId, decision: "approved" });
    const state = await later.sessions.ended("s1", runId);
    expect(state.messages.at(-1)?.content).toBe("I pay. Paid.");
    expect(answers.map(({ metadata }) => memberIn(metadata, approvalAnswer).value)).toEqual([
      { id: "call-1", decision: "approved", tool: "pay", argumentsHash: "hash" },
    ]);
  });
});
