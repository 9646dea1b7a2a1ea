import { expect, it } from "vitest";
import { type Fault, HOPS } from "../schedule/fault.ts";
import { smallEvidence, streamOf } from "../testing/small-evidence.ts";
import { isSurvived, lastWorkIn } from "./survival.ts";

const FAULTS: readonly Fault[] = [
  ...(["node-a", "node-b", "harbour", "postgres"] as const).map((target) => ({
    ...{ kind: "kill" as const, target, forMs: 0 },
  })),
  { kind: "pause", target: "node-a", forMs: 1 },
  { kind: "clock", target: "node-b", offsetMs: 1, forMs: 1 },
  { kind: "restart-postgres", forMs: 1 },
  { kind: "full-disk", disk: "postgres", forMs: 1 },
  { kind: "full-disk", disk: "harbour", forMs: 1 },
  ...HOPS.map((hop) => ({ kind: "cut" as const, hop, how: "reset" as const, forMs: 0 })),
  { kind: "duplicates", forMs: 1 },
  { kind: "slow-reader", forMs: 1 },
];

/** Every target last worked at this time. */
function workingUntil(at: number) {
  const good = smallEvidence();
  const [write] = good.writes;
  const [command] = good.commands;
  const [answer] = command?.answers ?? [];
  if (!write || !command || !answer) throw new Error("Nobody worked");
  const nodes = ["node-a", "node-b"] as const;
  const own = streamOf("harbour:task/t9", [{ task: {} }]);
  return lastWorkIn({
    ...good,
    writes: nodes.map((node) => ({ ...write, at, application: `${node}.3` })),
    commands: [{ ...command, answers: nodes.map((node) => ({ ...answer, at, node })) }],
    streams: new Map([[own.name, { ...own, events: own.events.map((event) => ({ ...event, at })) }]]),
  });
}

it.each(FAULTS)("%o counts as survived only if its target works afterwards", (fault) => {
  const injected = { fault, began: 100, ended: 200, felt: 1 };
  expect(isSurvived(workingUntil(201), injected)).toBe(true);
  expect(isSurvived(workingUntil(199), injected)).toBe(false);
});

it("a killed node that is still down does not count as survived when the other node works", () => {
  const both = workingUntil(300);
  const last = { ...both, nodes: new Map([...both.nodes, ["node-b", 150]]) };
  const kill = (target: "node-a" | "node-b" | "postgres") => ({
    ...{ fault: { kind: "kill" as const, target, forMs: 0 }, began: 100, ended: 200, felt: 1 },
  });
  expect(isSurvived(last, kill("node-a"))).toBe(true);
  expect(isSurvived(last, kill("node-b"))).toBe(false);
  expect(isSurvived(last, kill("postgres"))).toBe(false);
});
