import { expect, it } from "vitest";
import type { RecordedCall, StreamingText } from "../sync/session-record.ts";
import { workOf } from "./work.ts";

const call = (id: string, name: string, agent?: string): RecordedCall => ({
  id,
  name,
  ...(agent && { agent }),
});
const branch = (agent: string): StreamingText => ({ channel: "branch", text: "", isOpen: true, agent });

it("sorts calls and words of agents that work at the same time into a lane each, though their calls have the same id", () => {
  const toolCalls = [
    call("step-1", "argocd", "argocd"),
    call("step-2", "calculator", "calculator"),
    call("call_1", "version", "argocd"),
    call("call_1", "evaluate", "calculator"),
  ];
  const { lanes, ownCalls } = workOf({ toolCalls, texts: { a: branch("calculator"), b: branch("argocd") } });
  expect(lanes.map(({ agent, calls, texts }) => [agent, calls.map(({ name }) => name), texts])).toEqual([
    ["argocd", ["version"], ["b"]],
    ["calculator", ["evaluate"], ["a"]],
  ]);
  expect(ownCalls).toEqual([]);
});

it("gives what an agent does to the last request that it got", () => {
  const toolCalls = [
    call("1", "git", "git"),
    call("c", "log", "git"),
    call("2", "git", "git"),
    call("c", "diff", "git"),
  ];
  expect(workOf({ toolCalls, texts: {} }).lanes.map(({ calls }) => calls.map(({ name }) => name))).toEqual([
    ["log"],
    ["diff"],
  ]);
});

it("leaves calls of the agent that runs to itself", () => {
  const { lanes, ownCalls } = workOf({ toolCalls: [call("1", "evaluate")], texts: {} });
  expect([lanes.length, ownCalls.length]).toEqual([0, 1]);
});
