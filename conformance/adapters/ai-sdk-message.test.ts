import { UiMessageEncoder } from "@parley/adapters/ai-sdk/encoding/ui-message-encoder.ts";
import type { RecordedSessionEvent } from "@parley/sessions";
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, validateUIMessages } from "ai";
import fc from "fast-check";
import { expect, it } from "vitest";
import { AiChat, textOf } from "./testing/ai-chat.ts";
import { runStories, runStory } from "./testing/run-story.ts";

const encoderOptions = { sessionId: "s", agent: "supervisor", messageId: "run_1-answer" };

/** A chat whose server answers with these frames, one stream after the other. */
function chatOf(streams: string[], messages: AiChat["messages"] = []) {
  const headers = { "content-type": "text/event-stream" };
  const fetch = async () => new Response(streams.shift(), { headers });
  return new AiChat("http://parley.example/ai", { fetch, messages });
}

const isAnswered = (part: AiChat["last"]["parts"][number]) =>
  isToolUIPart(part) && part.state === "approval-responded";

const framesOf = (encoder: UiMessageEncoder, events: readonly RecordedSessionEvent[]) =>
  events.map((event) => encoder.event(event)).join("");

/** Where a stream may end at a question: after the event that asks it. */
function waits(events: readonly RecordedSessionEvent[]): number[] {
  const open = new Set<string>();
  const places: number[] = [];
  for (const { index, event } of events) {
    if (event.type === "approval_requested") open.add(event.approvalId);
    if (event.type === "approval_answered") open.delete(event.approvalId);
    if (open.size > 0 && event.type === "approval_requested") places.push(index);
  }
  return places;
}

/** The parts that a message has at most once, besides text and tools. */
function otherPartsOf({ parts }: AiChat["last"]): string[] {
  const tools = parts.flatMap((part) => (isToolUIPart(part) ? [part.toolCallId] : []));
  expect(new Set(tools).size).toBe(tools.length);
  return parts.flatMap((part) => {
    if (part.type === "steering-message") return [part.id];
    return part.type === "file" || part.type.startsWith("data-") ? [part.type] : [];
  });
}

function othersIn(events: readonly RecordedSessionEvent[]): Set<string> {
  const names = { agent_plan: ["data-plan"], agent_status: ["data-status"] };
  const others = { ...names, agent_artifact: ["data-artifact", "file"] } as Record<string, string[]>;
  return new Set(
    events.flatMap(({ event }) =>
      event.type === "user_message" ? [event.messageId] : (others[event.type] ?? []),
    ),
  );
}

/** A position in a stream; undefined for none. */
const places = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined });
const upTo = (frames: string, cut: number) => frames.slice(0, Math.floor(frames.length * cut));

it("the client accepts every chunk of any run, and its message matches the recorded text, even after a cut", async () => {
  await fc.assert(
    fc.asyncProperty(runStories, places, async (given, cut) => {
      const { events, runId, content, ending } = runStory(given);
      const encoder = new UiMessageEncoder({ ...encoderOptions, runId });
      const whole = encoder.begin() + framesOf(encoder, events) + encoder.end("ended");
      const chat = chatOf(cut === undefined ? [whole] : [upTo(whole, cut), whole]);
      await chat.sendMessage({ text: "Go" });
      if (cut !== undefined) await chat.resumeStream();
      expect(chat.messages).toHaveLength(2);
      expect(chat.error?.message).toBe(ending === "failed" ? "Broken" : undefined);
      expect(textOf(chat.last)).toBe(content);
      expect(chat.last.metadata).toMatchObject({ session: "s", run: runId, status: ending });
      const states = chat.last.parts.flatMap((part) => (isToolUIPart(part) ? [part.state] : []));
      expect(states.filter((state) => !/^output-/.test(state))).toEqual([]);
      expect(chat.last.parts.filter((part) => "state" in part && part.state === "streaming")).toEqual([]);
      expect(otherPartsOf(chat.last).toSorted()).toEqual([...othersIn(events)].toSorted());
      // As pages do with persisted messages.
      await validateUIMessages({ messages: chat.messages });
    }),
    { numRuns: 100 },
  );
});

const says = (artifact: number, text: string) => ({ does: "say", artifact, text, ends: false }) as const;
const question = [
  { does: "ask", tool: 0, arguments: false },
  { does: "answer", approval: 0, decision: 0 },
] as const;
/** After a question one of two texts continues behind the other; in the record it comes before it. */
const goesOn = {
  deeds: [says(0, "a"), ...question, says(1, "b"), says(0, "c")],
  ending: "completed" as const,
};
/** The text that continues behind the other is followed by a second question. */
const waitsTwice = [says(1, "a"), says(0, "b"), question[0], says(1, "c"), question[0]];

it("a continued message has the same text however often it waits, only open questions in its last step, and no duplicates after a cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      runStories,
      fc.array(fc.boolean(), { maxLength: 10 }),
      places,
      async (given, chosen, cut) => {
        const { events, runId, content } = runStory({ ...given, ending: "completed" });
        const stops = waits(events).filter((_, at) => chosen[at] ?? true);
        const ends = [...stops, events.length];
        const streamOf = (before: number, end: number, hasMore = false) => {
          const encoder = new UiMessageEncoder({ ...encoderOptions, runId });
          if (before > 0) encoder.restore(events.slice(0, before), { hasMore });
          const frames = framesOf(encoder, events.slice(before, end));
          return encoder.begin() + frames + encoder.end(end < events.length ? "waiting" : "ended");
        };
        let messages: AiChat["messages"] = [];
        for (const [at, end] of ends.entries()) {
          const before = ends[at - 1] ?? 0;
          const streams: string[] = [];
          const chat = chatOf(streams, messages);
          if (before > 0 && cut !== undefined) {
            streams.push(upTo(streamOf(before, end), cut));
            await chat.sendMessage();
          }
          if (before === 0) {
            streams.push(streamOf(0, end));
            await chat.sendMessage({ text: "Go" });
          } else if (chat.last.parts.some(isAnswered)) {
            // Text received before the cut comes after the question.
            streams.push(streamOf(before, end, !chat.last.parts.slice(-1).some(isAnswered)));
            await chat.sendMessage();
          } else {
            streams.push(streamOf(0, end));
            await chat.resumeStream();
          }
          expect(chat.error).toBeUndefined();
          if (end < events.length) {
            for (const part of chat.last.parts)
              if (isToolUIPart(part) && part.state === "approval-requested")
                await chat.addToolApprovalResponse({ id: part.approval.id, approved: true });
            expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: chat.messages })).toBe(
              true,
            );
          } else
            expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: chat.messages })).toBe(
              false,
            );
          messages = chat.messages;
          await validateUIMessages({ messages });
        }
        const [, answer] = messages;
        expect(messages).toHaveLength(2);
        expect(answer && textOf(answer)).toBe(content);
      },
    ),
    {
      numRuns: 100,
      examples: [
        [goesOn, [], undefined],
        [{ ...goesOn, deeds: waitsTwice }, [], undefined],
        [{ ...goesOn, deeds: [...goesOn.deeds, ...question] }, [], undefined],
        [{ ...goesOn, deeds: [says(0, "a"), ...question, says(0, "b")] }, [], 0.6],
      ],
    },
  );
});
