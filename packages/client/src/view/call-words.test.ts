import { expect, it } from "vitest";
import { callDuration, callState, callWords, durationText } from "./call-words.ts";

it("says of an agent that it was asked, and what for", () => {
  expect(
    callWords({ id: "1", name: "git", agent: "git", arguments: { request: "show\n the  log" } }),
  ).toEqual({
    ...{ kind: "asked", name: "git", target: "show the log" },
  });
});

it("says of a tool that it was used, and on what", () => {
  const given = { head: 3, path: "notes.md" };
  expect(callWords({ id: "1", name: "files__read_file", agent: "files", arguments: given })).toEqual({
    ...{ kind: "used", name: "files · read_file", target: "notes.md" },
  });
});

it.each([undefined, null, "text", 3, [], {}, { deep: { path: "x" } }])(
  "has no target for the arguments %j",
  (given) => {
    expect(callWords({ id: "1", name: "tool", arguments: given }).target).toBe("");
  },
);

it("cuts a target that would fill the line", () => {
  expect(callWords({ id: "1", name: "tool", arguments: { query: "x".repeat(9_999) } }).target).toHaveLength(
    120,
  );
});

it.each([
  [0, "0.0 s"],
  [403, "0.4 s"],
  [9_949, "9.9 s"],
  [9_950, "10 s"],
  [59_400, "59 s"],
  [59_600, "1 min 0 s"],
  [125_000, "2 min 5 s"],
])("says %i ms as %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

it("counts the seconds of a call under way, and not of one whose end was never told", () => {
  const call = { id: "1", name: "tool", startedAt: new Date(0).toISOString() };
  expect(callDuration(call, 14_000, false)).toBe("14 s");
  expect(callDuration(call, 900, false)).toBe("");
  expect([callDuration(call, 14_000, true), callState(call, true)]).toEqual(["", "unknown"]);
  expect(callDuration({ ...call, durationMs: 403 }, 14_000, true)).toBe("0.4 s");
  expect(callState(call, false)).toBe("running");
});
