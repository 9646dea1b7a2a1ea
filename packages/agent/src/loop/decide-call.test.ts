import { describe, expect, it } from "vitest";
import { Conversation } from "./conversation.ts";
import { argumentsHash, decideCall } from "./decide-call.ts";
import type { Step } from "./step.ts";
import type { Tool } from "./tool-box.ts";

const tool = (name: string, more: Partial<Tool>): Tool => ({
  name,
  description: "",
  inputSchema: {},
  approval: "always",
  repeatable: false,
  ...more,
});
const tools = [
  tool("free", {}),
  tool("reading", { repeatable: true }),
  tool("asking", { approval: "ask" }),
  tool("asking_again", { approval: "ask", repeatable: true }),
  tool("forbidden", { approval: "never" }),
];
const yes: Step = { answered: { id: "c", approved: true } };
const changed: Step = { answered: { id: "c", approved: true, arguments: { x: 2 } } };
const no: Step = { answered: { id: "c", approved: false } };
const noBecause: Step = { answered: { id: "c", approved: false, note: "too late" } };

const run = (x: number) => ({ run: { x } });
const ask = (name: string) => ({ ask: { argumentsHash: argumentsHash(name, { x: 1 }) } });
const failed = (text: RegExp) => ({ end: { outcome: "failed", text: expect.stringMatching(text) } });
const unknown = { end: { outcome: "unknown", text: expect.stringMatching(/interrupted.*not repeated/s) } };

describe("what is done about a call", () => {
  it.each([
    ["a tool that is always allowed", "free", [], false, run(1)],
    ["after a crash, one that may not be repeated", "free", [], true, unknown],
    ["after a crash, one that may be repeated", "reading", [], true, run(1)],
    ["a tool that asks first", "asking", [], false, ask("asking")],
    ["after a crash, one that was never allowed", "asking", [], true, ask("asking")],
    ["after a yes", "asking", [yes], false, run(1)],
    ["after a yes with other arguments", "asking", [changed], false, run(2)],
    ["after a no", "asking", [no], false, failed(/did not allow this call\.$/)],
    ["after a no with a reason", "asking", [noBecause], false, failed(/did not allow this call: too late$/)],
    ["after a no and a crash", "asking", [no], true, failed(/did not allow/)],
    ["after a yes and a crash, one that may not be repeated", "asking", [yes], true, unknown],
    ["after a yes and a crash, one that may be repeated", "asking_again", [changed], true, run(2)],
    ["a tool that is never allowed", "forbidden", [], false, failed(/may not be used/)],
    ["a tool that does not exist", "imagined", [], false, failed(/no tool imagined. Tools: free, reading/)],
    ["after a crash, a tool that is gone", "imagined", [], true, unknown],
  ] as const)("%s", (_, name, answers, interrupted, expected) => {
    const situation = {
      tools,
      conversation: new Conversation([], answers),
      interrupted: new Set(interrupted ? ["c"] : []),
    };
    const call = { id: "c", tool: name, arguments: { x: 1 }, text: '{"x":1}' };
    expect(decideCall(call, situation)).toEqual(expected);
  });

  it.each([false, true])(
    "shows arguments that are no JSON object, which are never run (after a crash: %s)",
    (crash) => {
      const interrupted = new Set(crash ? ["c"] : []);
      const situation = { tools, conversation: new Conversation([]), interrupted };
      const decision = decideCall({ id: "c", tool: "free", arguments: undefined, text: '{"x":' }, situation);
      expect(decision).toEqual(failed(/not a JSON object: \{"x":$/));
    },
  );

  it("binds an approval to the tool and to its arguments", () => {
    const hashes = [
      argumentsHash("a", { x: 1 }),
      argumentsHash("b", { x: 1 }),
      argumentsHash("a", { x: 2 }),
      argumentsHash("a", {}),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(argumentsHash("a", { x: 1 })).toBe(hashes[0]);
  });
});
