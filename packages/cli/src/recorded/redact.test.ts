import { describe, expect, it } from "vitest";
import { patterns, redacted } from "./record.ts";
import { newRecording, readRecording, writtenRecording } from "./recording.ts";

const recording = newRecording({
  title: "Pay with 4111",
  agents: [{ name: "bank", description: "Pays.", skills: [] }],
  turns: [
    {
      ...{ message: "Pay with card 4111\nand key sk-abc", agent: "bank", state: "completed", text: "Paid." },
      does: [
        { calls: "pay", arguments: { card: 4111, keys: { "sk-abc": ["sk-abc"] } }, outcome: "succeeded" },
      ],
    },
  ],
});

describe("redacted (+10)", () => {
  it("masks matches in texts, numbers and member names, and nothing else", () => {
    const left = redacted(recording, patterns(["4111", "sk-\\w+"]));
    expect(JSON.stringify(left)).not.toMatch(/4111|sk-abc/);
    expect(left.turns[0]).toMatchObject({
      message: "Pay with card [redacted]\nand key [redacted]",
      text: "Paid.",
      does: [{ arguments: { card: "[redacted]", keys: { "[redacted]": ["[redacted]"] } } }],
    });
  });

  it("rejects patterns that hide what a recording needs", () => {
    expect(() => redacted(recording, patterns(["completed"]))).toThrow(
      /^--redact hides what a recording needs/,
    );
    expect(() => redacted(recording, patterns(["t"]))).toThrow(/use narrower patterns$/);
  });
});

describe("writtenRecording (+10)", () => {
  it("writes one line per line of text, and round-trips", () => {
    const text = writtenRecording(recording);
    expect(JSON.parse(text).turns[0].message).toEqual(["Pay with card 4111", "and key sk-abc"]);
    expect(readRecording(text)).toEqual(recording);
    expect(writtenRecording(readRecording(text))).toBe(text);
  });
});
