import type { RecordedSessionEvent, SessionEvent } from "@parley/sessions";
import fc from "fast-check";
import { expect, it } from "vitest";
import { historyFor } from "../client-history.ts";
import { FrameClient } from "../testing/frame-client.ts";
import { randomRuns } from "../testing/random-runs.ts";
import { AgUiEncoder } from "./ag-ui-encoder.ts";

const RUN = "run-1";
const said = { id: "m", role: "user", content: "Hello" } as const;

const recorded = (events: readonly SessionEvent[]): RecordedSessionEvent[] =>
  events.map((event, at) => ({ index: at + 1, at: 0, event }));

function encoder(client: FrameClient, earlier: readonly RecordedSessionEvent[] = [], isEarlier = false) {
  const { messages, state } = client.agent;
  const has = messages.filter(({ role }) => role !== "activity");
  const history = historyFor(has, { messages: [{ ...said, index: 0 }], runs: new Map() }, { runId: RUN });
  const about = { threadId: "thread", runId: "theirs", sessionId: "thread", run: RUN };
  return new AgUiEncoder({ ...about, has, history, state, isEarlier }, earlier);
}

/** All of it in one stream. */
function whole(client: FrameClient, events: readonly RecordedSessionEvent[], isEarlier = false): string {
  const sink = encoder(client, [], isEarlier);
  return sink.begin() + events.map((event) => sink.event(event)).join("") + sink.end("ended");
}

it("AG-UI's client accepts every frame of any run, and has the record's text", async () => {
  await fc.assert(
    fc.asyncProperty(randomRuns, async ({ events, content, end }) => {
      const client = new FrameClient("thread", said);
      const { outcome } = await client.hear(whole(client, recorded(events)));
      expect(outcome).toBe({ completed: "success", failed: "error", cancelled: "cancelled" }[end]);
      expect(client.text(RUN)).toBe(content);
    }),
    { numRuns: 80 },
  );
});

it("a client before 1.0 gets the same, without events that would break its stream", async () => {
  await fc.assert(
    fc.asyncProperty(randomRuns, async ({ events, content }) => {
      const client = new FrameClient("thread", said);
      const frames = whole(client, recorded(events), true);
      expect(frames).not.toMatch(/"type":"(SUBAGENT_|cancelled)/);
      await client.hear(frames);
      expect(client.text(RUN)).toBe(content);
    }),
    { numRuns: 40 },
  );
});

it("a run that stops at each question is the same for the client as one that does not", async () => {
  await fc.assert(
    fc.asyncProperty(randomRuns, async ({ events, content }) => {
      const client = new FrameClient("thread", said);
      const all = recorded(events);
      let from = 0;
      for (const { event, index } of all) {
        if (event.type !== "approval_requested") continue;
        const sink = encoder(client, all.slice(0, from));
        const frames =
          sink.begin() +
          all
            .slice(from, index)
            .map((one) => sink.event(one))
            .join("");
        const { outcome, interrupts } = await client.hear(frames + sink.end("waiting"));
        expect([outcome, interrupts.map(({ id }) => id)]).toEqual(["interrupt", [event.approvalId]]);
        from = index;
      }
      const sink = encoder(client, all.slice(0, from));
      const frames =
        sink.begin() +
        all
          .slice(from)
          .map((one) => sink.event(one))
          .join("");
      await client.hear(frames + sink.end("ended"));
      expect(client.text(RUN)).toBe(content);
      const straight = new FrameClient("thread", said);
      await straight.hear(whole(straight, all));
      const texts = ({ agent }: FrameClient) =>
        agent.messages.map(({ id, role, content: text }) => [id, role, text]).toSorted();
      expect(texts(client)).toEqual(texts(straight));
      expect(client.agent.state).toEqual(straight.agent.state);
    }),
    { numRuns: 60 },
  );
});

it("a client that was cut anywhere and asks again has the text once only", async () => {
  await fc.assert(
    fc.asyncProperty(randomRuns, fc.nat(), async ({ events, content }, cut) => {
      const client = new FrameClient("thread", said);
      const frames = whole(client, recorded(events)).split(/(?<=\n\n)/);
      await client.hear(frames.slice(0, 1 + (cut % (frames.length - 1))).join(""));
      await client.hear(whole(client, recorded(events)));
      expect(client.text(RUN)).toBe(content);
      const reasoning = client.agent.messages.filter(({ role }) => role === "reasoning");
      const straight = new FrameClient("thread", said);
      await straight.hear(whole(straight, recorded(events)));
      expect(reasoning.filter(({ content: text }) => text !== "")).toEqual(
        straight.agent.messages.filter(({ role, content: text }) => role === "reasoning" && text !== ""),
      );
    }),
    { numRuns: 60 },
  );
});
