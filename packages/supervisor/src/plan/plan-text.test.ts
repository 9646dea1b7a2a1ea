import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Plan } from "./plan.ts";
import { PlanText, planText } from "./plan-text.ts";
import { readPlan } from "./read-plan.ts";
import { AGENTS, choices, inPieces, jsonText, lengths, planArguments } from "./testing/written-plans.ts";

const plan: Plan = {
  steps: [
    { id: "a", title: "Show the version", agent: "argocd", request: "version?", dependencies: [] },
    { id: "b", title: "Compare", agent: "git", request: "compare", dependencies: ["c", "a"] },
    { id: "c", title: "Read 👩‍💻", agent: "files", request: "read", dependencies: [] },
  ],
};
const text = `⟦**🎯 Execution Plan**

1. Show the version — *argocd*
2. Compare — *git* (after 3, 1)
3. Read 👩‍💻 — *files*
⟧`;

function valid(written: string): Plan {
  const read = readPlan(JSON.parse(written), AGENTS);
  if ("problem" in read) throw new Error(read.problem);
  return read;
}

describe("PlanText", () => {
  it("names each step, its agent and the numbers of the steps before it (S0.7)", () => {
    expect(planText(plan)).toBe(text);
  });

  it("streams the plan as it is written, whatever the pieces, key order, white space and escapes (S0.6)", () => {
    fc.assert(
      fc.property(planArguments, choices, lengths, (value, chosen, cuts) => {
        const written = jsonText(value, chosen);
        const streamed = new PlanText();
        const joined = inPieces(written, cuts)
          .map((piece) => streamed.add(piece))
          .join("");
        const { rest, text } = streamed.end(valid(written));
        expect(joined).toBe(text);
        expect(rest).toBe("");
      }),
      { numRuns: 300 },
    );
  });

  it("returns the rest of the text wherever the writing was cut off (S0.6, S0.7)", () => {
    fc.assert(
      fc.property(planArguments, choices, lengths, fc.nat(), (value, chosen, cuts, cut) => {
        const written = jsonText(value, chosen);
        const streamed = new PlanText();
        const seen = inPieces(written.slice(0, cut % written.length), cuts).map((piece) =>
          streamed.add(piece),
        );
        const { rest, text } = streamed.end(valid(written));
        expect(seen.join("") + rest).toBe(text);
      }),
    );
  });

  it("shows each character of a title at once, and the agent before the request is written (S0.6)", () => {
    const streamed = new PlanText();
    expect(streamed.add('{"steps": [{"id": "1", "title": "Sh')).toBe("⟦**🎯 Execution Plan**\n\n1. Sh");
    expect(streamed.add("o")).toBe("o");
    expect(streamed.add("w \\ud83c")).toBe("w");
    expect(streamed.add("\\udfaf\\")).toBe(" 🎯");
    expect(streamed.add('n", "agent": "git')).toBe("");
    expect(streamed.add('", "request": "all of')).toBe(" — *git*");
    expect(streamed.add(' it"}')).toBe("\n");
    expect(streamed.add("]")).toBe("⟧");
  });

  it("holds a line back while it is not known which step comes before it", () => {
    const streamed = new PlanText();
    const first =
      '{"steps":[{"title":"B","agent":"git","dependencies":["a"]},{"title":"A","agent":"git","id":';
    expect(streamed.add(first)).toBe("⟦**🎯 Execution Plan**\n\n1. B — *git*");
    expect(streamed.add('"a"}')).toBe(" (after 2)\n2. A — *git*\n");
  });

  it("returns no rest where the plan is not what was written", () => {
    const streamed = new PlanText();
    streamed.add('{"steps":[{"title":"Something else');
    expect(streamed.end(plan)).toEqual({ rest: undefined, text });
    expect(new PlanText().end(plan)).toEqual({ rest: text, text });
  });
});

describe("PlanText of malformed arguments", () => {
  const token = fc.constantFrom(
    ...'{}[]":,\\u '.split(""),
    ...['{"steps":[', '{"title":"', '"agent":', '"dependencies":[', "null", "1e9", "\ud83d", "\\ud83d", "⟧"],
  );
  const garbage = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(token, { maxLength: 60 }).map((tokens) => tokens.join("")),
    fc.array(token, { maxLength: 60 }).map((tokens) => `{"steps":[${tokens.join("")}`),
    fc.tuple(planArguments, choices, fc.nat(), fc.nat(9), token).map(([value, chosen, at, length, token]) => {
      const written = jsonText(value, chosen);
      const start = at % written.length;
      return written.slice(0, start) + token + written.slice(start + length);
    }),
  );

  it("never throws, and grows no more than its input and the frame of each line", () => {
    fc.assert(
      fc.property(garbage, lengths, (written, cuts) => {
        const streamed = new PlanText();
        const joined = inPieces(written, cuts)
          .map((piece) => streamed.add(piece))
          .join("");
        const lines = Math.min(50, written.split("{").length - 1);
        expect(joined.length).toBeLessThanOrEqual(written.length + 40 * (lines + 1));
        expect(joined.isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["steps without end", '{"steps":[', '{"title":"t","agent":"git"},', 20_000],
    ["brackets without end", '{"steps":[', "[{", 100_000],
    ["numbers without end", '{"steps":[{"dependencies":[', "1,", 100_000],
    ["a number without end", '{"steps":[{"id":', "1", 200_000],
  ])("stays small: %s", (_, start, more, times) => {
    const streamed = new PlanText();
    let length = streamed.add(start).length;
    for (let n = 0; n < times; n++) length += streamed.add(more).length;
    expect(length).toBeLessThan(50 * 20);
  });

  it("reads each character once, and no more than a million", () => {
    const streamed = new PlanText();
    let length = streamed.add('{"steps":[{"title":"').length;
    for (let n = 0; n < 1_100_000; n++) length += streamed.add("x").length;
    expect(length).toBeGreaterThan(999_900);
    expect(length).toBeLessThan(1_000_100);
  });
});
