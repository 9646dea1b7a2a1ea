import type { RecordedSessionEvent, SessionEvent } from "@parley/sessions";
import { expect, it } from "vitest";
import { AppendedAnswer } from "./appended-answer.ts";

const runId = "r";
let index = 0;
const recorded = (event: SessionEvent): RecordedSessionEvent => ({ index: ++index, at: 0, event });
const start = (artifactId: string, restart = false) =>
  recorded({ type: "agent_token_start", runId, artifactId, channel: "answer", ...(restart && { restart }) });
const say = (artifactId: string, text: string) => recorded({ type: "agent_token", runId, artifactId, text });
const end = (artifactId: string) => recorded({ type: "agent_token_end", runId, artifactId });
const tell = (answer: AppendedAnswer, events: readonly RecordedSessionEvent[]) =>
  events.map((event) => answer.accept(event));

it("an answer is sent token by token", () => {
  const answer = new AppendedAnswer();
  expect(tell(answer, [start("a"), say("a", "Hel"), say("a", "lo"), end("a")])).toEqual([
    "",
    "Hel",
    "lo",
    "",
  ]);
  expect(answer.finish("Hello")).toBe("");
});

it("an answer of several texts is sent in order, each text when the one before has ended", () => {
  const answer = new AppendedAnswer();
  const events = [
    start("a"),
    start("b"),
    say("a", "1"),
    say("b", "3"),
    say("a", "2"),
    end("a"),
    say("b", "4"),
  ];
  expect(tell(answer, events).join("")).toBe("1234");
});

it("an answer that is repeated after it was taken back continues where it goes beyond", () => {
  const answer = new AppendedAnswer();
  const events = [
    start("a"),
    say("a", "High water"),
    start("a", true),
    say("a", "High"),
    say("a", " water at noon"),
  ];
  expect(tell(answer, events)).toEqual(["", "High water", "", "", " at noon"]);
  const anew = new AppendedAnswer();
  const other = [start("a"), say("a", "High"), start("a", true), start("b"), say("b", "High water")];
  expect(tell(anew, other).join("")).toBe("High water");
});

it("an answer that becomes another is not sent on, and does not end as if it were the same", () => {
  const answer = new AppendedAnswer();
  const events = [start("a"), say("a", "High"), start("a", true), say("a", "Low"), say("a", " water")];
  expect(tell(answer, events)).toEqual(["", "High", "", "", ""]);
  expect(answer.finish("Low water")).toBeUndefined();
});

it("AppendedAnswer continues from existing texts, without those that were taken back", () => {
  const texts = new Map([
    ["t", { channel: "thinking", text: "hm" }],
    ["a", { channel: "answer", text: "High" }],
  ]);
  const answer = new AppendedAnswer(texts);
  expect(answer.sent).toBe("High");
  expect(answer.accept(say("a", " water"))).toBe(" water");
  expect(answer.finish("High water at noon")).toBe(" at noon");
});

it("an answer ends as the log has it, or reports that it does not, whatever agents do", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = randomNumbers(seed);
    const pick = <Value>(...values: readonly Value[]) => values[random() % values.length] as Value;
    const opened = random() % 30;
    const log = new Map<string, { channel: string; text: string }>();
    let answer = new AppendedAnswer();
    let told = "";
    for (let step = 0; step < 25; step++) {
      if (step === opened) {
        answer = new AppendedAnswer(structuredClone(log));
        told = answer.sent;
      }
      const id = pick("a", "b", "c");
      const kind = pick("start", "restart", "say", "say", "say", "end");
      const text = pick("x", "y", "xy", "xx");
      const events = log.has(id) || kind === "start" ? [] : [start(id)];
      events.push(kind === "say" ? say(id, text) : kind === "end" ? end(id) : start(id, kind === "restart"));
      for (const event of events) {
        const before = log.get(id)?.text ?? "";
        if (event.event.type === "agent_token_start")
          log.set(id, { channel: "answer", text: event.event.restart ? "" : before });
        if (event.event.type === "agent_token") log.set(id, { channel: "answer", text: before + text });
        told += answer.accept(event);
      }
    }
    const content = [...log.values()].map(({ text }) => text).join("");
    const rest = answer.finish(content);
    expect([seed, content.startsWith(told)]).toEqual([seed, rest !== undefined]);
    if (rest !== undefined) expect(told + rest).toBe(content);
  }
});

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}
