import type { ModelMessage } from "@parley/models";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Conversation } from "./conversation.ts";
import { type Step, stepsIn } from "./step.ts";

const asked: ModelMessage = { role: "user", text: "go" };
const call = (id: string) => ({ id, tool: `tool_${id}`, arguments: {}, text: "{}" });
const turn = (text: string, ...ids: string[]): Step => ({
  turn: { text, calls: ids.map(call), usage: { inputTokens: 2, outputTokens: 1 } },
});
const outcome = (id: string): Step => ({
  outcome: { id, tool: `tool_${id}`, outcome: "succeeded", text: `result of ${id}` },
});

/** Work as it can really go: turns with calls whose outcomes come in any order, with words of the user in between. */
const work: fc.Arbitrary<Step[]> = fc
  .array(
    fc.record({
      text: fc.string(),
      calls: fc.nat(4),
      order: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
      saidBefore: fc.array(fc.string(), { maxLength: 2 }),
    }),
    { maxLength: 6 },
  )
  .map((turns) =>
    turns.flatMap(({ text, calls, order, saidBefore }, number) => {
      const ids = Array.from({ length: calls }, (_, at) => `${number}.${at}`);
      const ended = ids
        .map((id, at) => ({ id, at: order[at] ?? 0 }))
        .sort((one, other) => one.at - other.at)
        .map(({ id }) => outcome(id));
      const said = saidBefore.map((words): Step => ({ said: words }));
      return [turn(text, ...ids), ...said, ...ended];
    }),
  );

describe("a conversation", () => {
  it("is the same for the same steps, in one go, one by one and read back from JSON (invariant 11)", () => {
    fc.assert(
      fc.property(work, fc.nat(30), (steps, cut) => {
        const atOnce = new Conversation([asked], steps);
        const resumed = new Conversation([asked], steps.slice(0, cut));
        for (const step of stepsIn(JSON.parse(JSON.stringify(steps))).slice(cut)) resumed.apply(step);
        expect(resumed.messages).toEqual(atOnce.messages);
        expect([resumed.text, resumed.turns, resumed.usage]).toEqual([
          atOnce.text,
          atOnce.turns,
          atOnce.usage,
        ]);
        expect(resumed.openCalls).toEqual(atOnce.openCalls);
      }),
    );
  });

  it("shows a model the outcomes of each turn together, right after its calls and in their order", () => {
    fc.assert(
      fc.property(work, (steps) => {
        const { messages } = new Conversation([asked], steps);
        for (const [at, message] of messages.entries()) {
          if (message.role !== "assistant" || message.calls.length === 0) continue;
          const next = messages[at + 1];
          expect(next?.role === "tool" && next.outcomes.map(({ id }) => id)).toEqual(
            message.calls.map(({ id }) => id),
          );
        }
      }),
    );
  });

  it("forgets nothing that the user said, also while calls are open", () => {
    fc.assert(
      fc.property(work, (steps) => {
        const said = steps.flatMap((step) => ("said" in step ? [step.said] : []));
        const { messages } = new Conversation([], steps);
        expect(messages.flatMap((message) => (message.role === "user" ? [message.text] : []))).toEqual(said);
      }),
    );
  });

  it("is done after a turn without calls, until the user says more", () => {
    const conversation = new Conversation([asked]);
    expect(conversation.isDone).toBe(false);
    conversation.apply(turn("one", "a"));
    expect(conversation.isDone).toBe(false);
    conversation.apply(outcome("a"));
    expect(conversation.isDone).toBe(false);
    conversation.apply(turn("", ...[]));
    expect(conversation.isDone).toBe(true);
    conversation.apply({ said: "and now?" });
    expect(conversation.isDone).toBe(false);
    expect(conversation).toMatchObject({ text: "one", turns: 2, usage: { inputTokens: 4, outputTokens: 2 } });
  });

  it("knows which question is open, and which calls may have been made", () => {
    const conversation = new Conversation([asked], [turn("", "a", "b")]);
    expect(conversation.begunCalls.map(({ id }) => id)).toEqual(["a", "b"]);
    conversation.apply({ asked: { id: "a", argumentsHash: "h" } });
    expect(conversation.unanswered).toEqual({ id: "a", argumentsHash: "h" });
    expect(conversation.begunCalls.map(({ id }) => id)).toEqual(["b"]);
    conversation.apply({ answered: { id: "a", approved: true } });
    expect(conversation.unanswered).toBeUndefined();
    expect(conversation.begunCalls.map(({ id }) => id)).toEqual(["a", "b"]);
    conversation.apply(outcome("b"));
    expect([conversation.knows("a"), conversation.knows("b"), conversation.knows("c")]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
