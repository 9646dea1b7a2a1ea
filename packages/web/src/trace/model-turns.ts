import { SpanNode } from "./span-node.ts";

/** A pause shorter than this is no turn. */
const SHORTEST_MS = 3;

/** Puts into an agent's bar the turns of its model: when it waited neither for a tool or another agent nor for a person. */
export function addTurns(owner: SpanNode, now: number): void {
  const waits = waitsOf(owner).sort((one, other) => one.start - other.start);
  const end = owner.end ?? now;
  let from = owner.start;
  let number = 0;
  const turn = (until: number, next?: SpanNode) => {
    if (until - from < SHORTEST_MS) return;
    number++;
    const start = from;
    const node = new SpanNode({
      id: `${owner.id}/turn-${number}`,
      kind: "turn",
      name: String(number),
      start,
    });
    const words = owner.words.filter(({ at }) => at >= start && at <= until);
    node.words.push(...words);
    node.events.push(...words.map(({ index }) => index), ...(next?.events.slice(0, 1) ?? []));
    if (node.events.length === 0) node.events.push(...owner.events);
    if (next || owner.end !== undefined) node.finish(until, next ? "succeeded" : owner.state);
    owner.children.push(node);
  };
  for (const wait of waits) {
    turn(wait.start, wait);
    from = Math.max(from, wait.end ?? end);
  }
  turn(end);
}

function waitsOf({ children }: SpanNode): SpanNode[] {
  return children.flatMap((child) => {
    if (child.kind === "agent" || child.kind === "tool" || child.kind === "person") return [child];
    return child.kind === "step" ? waitsOf(child) : [];
  });
}
