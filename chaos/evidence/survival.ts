import type { NodeName } from "../schedule/fault.ts";
import { SOLE } from "../world/agent-files.ts";
import type { Evidence, InjectedFault } from "./evidence.ts";

/** When each fault target last worked, according to the database, the agent's log and clients. */
export interface LastWork {
  readonly nodes: ReadonlyMap<string, number>;
  readonly answers: ReadonlyMap<NodeName, number>;
  readonly sole: number;
}

/** When each was last seen working. */
export function lastWorkIn({ writes, commands, streams }: Evidence): LastWork {
  const nodes = new Map<string, number>();
  for (const { application, at } of writes) {
    const [node = ""] = application.split(".");
    nodes.set(node, Math.max(at, nodes.get(node) ?? 0));
  }
  const answers = new Map<NodeName, number>();
  for (const { node, at, status } of commands.flatMap((command) => command.answers))
    if (status < 300) answers.set(node, Math.max(at, answers.get(node) ?? 0));
  const own = [...streams.values()].filter(({ name }) => name.startsWith(`${SOLE}:`));
  return { nodes, answers, sole: Math.max(0, ...own.map(({ events }) => events.at(-1)?.at ?? 0)) };
}

/** Whether the fault's target worked again after it. */
export function isSurvived(last: LastWork, { fault, ended }: InjectedFault): boolean {
  const nodes = Math.min(last.nodes.get("node-a") ?? 0, last.nodes.get("node-b") ?? 0);
  const answers = Math.min(...(["node-a", "node-b"] as const).map((node) => last.answers.get(node) ?? 0));
  const of = (target: string) => (target === SOLE ? last.sole : (last.nodes.get(target) ?? nodes));
  switch (fault.kind) {
    case "kill":
    case "pause":
    case "clock":
      return of(fault.target) > ended;
    case "restart-postgres":
      return nodes > ended;
    case "full-disk":
      return of(fault.disk) > ended;
    case "cut": {
      const [from = "", to = ""] = fault.hop.split("→");
      if (from === "client") return (last.answers.get(to as NodeName) ?? 0) > ended;
      return (to === "postgres" ? of(from) : last.sole) > ended;
    }
    case "duplicates":
    case "slow-reader":
      return answers > ended;
    default:
      return fault satisfies never;
  }
}
