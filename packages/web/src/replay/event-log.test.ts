import { type DomainEvent, emptyRecord, evolveRecord } from "@parley/client";
import { cpuTime } from "@parley/testing/cpu-time.ts";
import { describe, expect, it } from "vitest";
import { EventLog } from "./event-log.ts";

/** A session with so many words in its answers, twenty to each. */
function story(count: number): readonly DomainEvent[] {
  const kinds = (turn: number, step: number): Pick<DomainEvent, "type" | "payload"> => {
    const of = { runId: `run-${turn}`, artifactId: "answer" };
    if (step === 0)
      return { type: "user_message", payload: { messageId: `msg-${turn}`, content: `Question ${turn}` } };
    if (step === 1)
      return {
        type: "agent_start",
        payload: {
          ...{ runId: of.runId, agent: "files", agentUrl: "", contextId: "c" },
          ...{ inputSnapshotHash: "", messageId: `msg-${turn}` },
        },
      };
    if (step < 22) return { type: "agent_token", payload: { ...of, text: `word-${step} ` } };
    return {
      type: "agent_complete",
      payload: { runId: of.runId, state: "completed", messageId: `answer-${turn}`, content: "words" },
    };
  };
  return Array.from({ length: count }, (_, at) => {
    const known = kinds(Math.floor(at / 23), at % 23);
    const timestamp = new Date(at * 1_000).toISOString();
    return { ...known, sessionId: "ses", index: at + 1, timestamp } as DomainEvent;
  });
}

describe("EventLog (+3)", () => {
  it("returns the session after every event, in any order of access", () => {
    const events = story(900);
    const log = new EventLog("ses");
    log.append(events.slice(0, 300));
    log.append(events.slice(200));
    const records = [emptyRecord("ses")];
    for (const event of events) records.push(evolveRecord(records.at(-1) ?? emptyRecord("ses"), event));
    const forwards = Array.from({ length: 900 }, (_, at) => at + 1);
    for (const index of [...forwards, ...forwards.toReversed(), 512, 3, 768, 256, 257, 255, 900, 1])
      expect(log.recordAt(index)).toEqual(records[index]);
  });

  it("clamps to the existing events", () => {
    const log = new EventLog("ses");
    expect(log.recordAt(5)).toEqual(emptyRecord("ses"));
    log.append(story(10));
    expect([log.clamped(-4), log.clamped(4), log.clamped(99)]).toEqual([1, 4, 10]);
    expect(log.recordAt(99).index).toBe(10);
  });

  it("starts where the server's record starts", () => {
    const log = new EventLog("ses");
    log.append(story(400).slice(92));
    expect([log.first, log.last]).toEqual([93, 400]);
    expect(log.recordAt(93).messages.map(({ content }) => content)).toEqual(["Question 4"]);
    expect(log.recordAt(390).index).toBe(390);
    expect(log.event(93)?.index).toBe(93);
  });

  it("finds any event of 10,000 about as quickly as of 1,000", () => {
    const spent = [1_000, 10_000].map((count) => {
      const log = new EventLog("ses");
      log.append(story(count));
      const begun = cpuTime();
      for (let at = 0; at < 300; at++) log.recordAt(1 + ((at * 7_919) % count));
      return cpuTime() - begun;
    });
    const [few = 0, many = 0] = spent;
    expect(many).toBeLessThan(few * 5 + 100);
  });
});
