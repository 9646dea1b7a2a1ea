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

describe("what is hidden in a recording (+10)", () => {
  it("is hidden in texts, numbers and names of members, and nothing else changes", () => {
    const left = redacted(recording, patterns(["4111", "sk-\\w+"]));
    expect(JSON.stringify(left)).not.toMatch(/4111|sk-abc/);
    expect(left.turns[0]).toMatchObject({
      ...{ message: "Pay with card [redacted]\nand key [redacted]", text: "Paid." },
      does: [{ arguments: { card: "[redacted]", keys: { "[redacted]": ["[redacted]"] } } }],
    });
  });

  it("must not be what a recording needs", () => {
    expect(() => redacted(recording, patterns(["completed"]))).toThrow(
      /^--redact hides what a recording needs/,
    );
    expect(() => redacted(recording, patterns(["t"]))).toThrow(/choose narrower patterns$/);
  });
});

describe("a recording's file (+10)", () => {
  it("has a line for each line of a text, and reads as it was written", () => {
    const text = writtenRecording(recording);
    expect(JSON.parse(text).turns[0].message).toEqual(["Pay with card 4111", "and key sk-abc"]);
    expect(readRecording(text)).toEqual(recording);
    expect(writtenRecording(readRecording(text))).toBe(text);
  });
});
