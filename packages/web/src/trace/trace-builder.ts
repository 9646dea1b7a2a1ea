import type { DomainEvent, EventOf, PlanStep } from "@parley/client";
import type { Span, SpanState, SpentTokens, Trace } from "./span.ts";
import { SpanNode } from "./span-node.ts";

const MIN_TURN_MS = 3;

/** Adds the model turns: the times in which an agent waited for no tool, agent or person. */
function addTurns(owner: SpanNode, now: number): void {
  const waits = waitsOf(owner).sort((one, other) => one.start - other.start);
  const end = owner.end ?? now;
  let from = owner.start;
  let number = 0;
  const turn = (until: number, next?: SpanNode) => {
    if (until - from < MIN_TURN_MS) return;
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

const STEP_ENDS: Readonly<Partial<Record<PlanStep["state"], SpanState>>> = {
  completed: "succeeded",
  failed: "failed",
  canceled: "canceled",
};

/** Puts a run's events together to bars. */
class TraceBuilder {
  readonly #root: SpanNode;
  readonly #calls = new Map<string, SpanNode>();
  readonly #delegations: { readonly id: string; readonly node: SpanNode }[] = [];
  readonly #steps = new Map<string, { readonly node: SpanNode; readonly agent: string | undefined }>();
  readonly #texts = new Map<string, { readonly owner: SpanNode; readonly isAnswer: boolean }>();
  readonly #plans = new Map<string, SpanNode>();
  readonly #approvals = new Map<string, SpanNode>();
  #firstToken: number | undefined;
  #spent: SpentTokens | undefined;

  constructor({ payload, timestamp }: EventOf<"agent_start">) {
    const start = Date.parse(timestamp);
    this.#root = new SpanNode({ id: "run", kind: "run", name: payload.agent, start });
  }

  add(event: DomainEvent): void {
    const at = Date.parse(event.timestamp);
    const { index } = event;
    this.#root.events.push(index);
    switch (event.type) {
      case "agent_tool_call":
        this.#called(event, at);
        break;
      case "agent_tool_result": {
        const node = this.#calls.get(callIdentity(event.payload));
        node?.finish(at, event.payload.outcome);
        node?.events.push(index);
        break;
      }
      case "agent_token_start":
        this.#opened(event, at);
        break;
      case "agent_token":
        this.#said(event.payload.artifactId, at, index);
        break;
      case "agent_token_end":
        this.#plans.get(event.payload.artifactId)?.finish(at, "succeeded");
        break;
      case "agent_plan":
        for (const step of event.payload.steps) this.#planned(step, at, index);
        break;
      case "approval_requested": {
        const { approvalId, tool = "", agent } = event.payload;
        const node = this.#child({ id: approvalId, kind: "person", name: agent ?? tool }, at);
        node.events.push(index);
        this.#approvals.set(approvalId, node);
        break;
      }
      case "approval_answered": {
        const node = this.#approvals.get(event.payload.approvalId);
        node?.finish(at, event.payload.decision === "denied" ? "canceled" : "succeeded");
        node?.events.push(index);
        break;
      }
      case "agent_complete":
        this.#spent = event.payload.usage as SpentTokens | undefined;
        this.#root.finish(at, event.payload.state === "completed" ? "succeeded" : "failed");
        break;
      case "agent_cancelled":
        this.#root.finish(at, "canceled");
        break;
      default:
        break;
    }
  }

  build(now: number): Trace {
    const end = this.#root.end ?? now;
    // A span without a recorded end ended with the run at the latest.
    if (this.#root.end !== undefined)
      for (const node of [...this.#calls.values(), ...this.#plans.values(), ...this.#approvals.values()])
        node.finish(end, "unknown");
    for (const { node } of this.#steps.values())
      if (this.#root.end !== undefined) node.finish(end, "unknown");
    for (const { node } of this.#delegations) this.#place(node);
    addTurns(this.#root, end);
    for (const { node } of this.#delegations) addTurns(node, end);
    // Of the run as a whole the first words are those of its answer, not of its plan.
    const first = this.#firstToken !== undefined && { firstToken: this.#firstToken };
    const spans = this.#root.flattened(end).map(({ firstToken, ...span }, at) => ({
      ...span,
      ...(at === 0 ? first : firstToken !== undefined && { firstToken }),
    }));
    return { start: this.#root.start, end, spans, ...first, ...(this.#spent && { spent: this.#spent }) };
  }

  #child(about: Pick<Span, "id" | "kind" | "name" | "call">, start: number, parent = this.#root): SpanNode {
    const node = new SpanNode({ ...about, start });
    parent.children.push(node);
    return node;
  }

  #called({ payload, index }: EventOf<"agent_tool_call">, at: number): void {
    const { tool, agent, parentCallId, callId } = payload;
    const isDelegation = tool === agent && parentCallId === undefined;
    const kind = isDelegation ? "agent" : "tool";
    const call = callIdentity(payload);
    const about = { id: `call-${index}`, kind, name: tool, call } as const;
    // Where a delegation is shown is decided when the plan is known.
    const node = isDelegation
      ? new SpanNode({ ...about, start: at })
      : this.#child(about, at, this.#asked(agent, parentCallId));
    node.events.push(index);
    if (isDelegation) this.#delegations.push({ id: callId, node });
    this.#calls.set(call, node);
  }

  #asked(agent: string | undefined, callId: string | undefined): SpanNode {
    const found = this.#delegations.findLast(({ id, node }) =>
      callId === undefined ? node.name === agent : id === callId,
    );
    return found?.node ?? this.#root;
  }

  #opened({ payload, index }: EventOf<"agent_token_start">, at: number): void {
    const { artifactId, channel, agent } = payload;
    if (channel === "plan" && !this.#plans.has(artifactId))
      this.#plans.set(artifactId, this.#child({ id: `plan-${index}`, kind: "plan", name: "" }, at));
    this.#plans.get(artifactId)?.events.push(index);
    const owner = channel === "branch" ? this.#asked(agent, undefined) : this.#root;
    this.#texts.set(artifactId, { owner, isAnswer: channel === "answer" });
  }

  #said(artifactId: string, at: number, index: number): void {
    const text = this.#texts.get(artifactId);
    if (text?.isAnswer) this.#firstToken ??= at;
    const plan = this.#plans.get(artifactId);
    plan?.words.push({ at, index });
    plan?.events.push(index);
    // An answer that comes while one agent is at work comes from that agent.
    const open = this.#delegations.filter(({ node }) => node.end === undefined);
    const owner = text?.isAnswer && open.length === 1 ? open[0]?.node : (text?.owner ?? this.#root);
    owner?.words.push({ at, index });
    if (owner !== this.#root) owner?.events.push(index);
  }

  #planned({ id, title, agent, state }: PlanStep, at: number, index: number): void {
    const known = this.#steps.get(id);
    const isBegun = state !== "pending" && state !== "skipped";
    const node =
      known?.node ?? (isBegun ? this.#child({ id: `step-${id}`, kind: "step", name: title }, at) : undefined);
    if (!node || node.end !== undefined) return;
    if (!known) this.#steps.set(id, { node, agent });
    const ended = STEP_ENDS[state];
    if (!known || ended) node.events.push(index);
    if (ended) node.finish(at, ended);
  }

  /** Below the step that it carries out, where there is one. */
  #place(node: SpanNode): void {
    const end = node.end ?? Number.POSITIVE_INFINITY;
    const steps = [...this.#steps.values()].filter(
      (step) =>
        step.agent === node.name &&
        step.node.start <= end &&
        (step.node.end ?? end) >= node.start &&
        !step.node.children.some(({ kind }) => kind === "agent"),
    );
    const [step] = steps.sort((one, other) => distance(one.node, node) - distance(other.node, node));
    (step?.node ?? this.#root).children.push(node);
  }
}

function distance(one: SpanNode, other: SpanNode): number {
  return Math.abs(one.start - other.start);
}

interface NamedCall {
  readonly callId: string;
  readonly agent?: string | undefined;
  readonly parentCallId?: string | undefined;
  readonly taskId?: string | undefined;
}

/** A name for a call within its run, the same in its events and in what is shown of it. */
export function callIdentity({ callId, agent, parentCallId, taskId }: NamedCall): string {
  return JSON.stringify([callId, agent, parentCallId, taskId]);
}

/** A run in bars, from its events in their order; undefined where its beginning is not among them. */
export function traceOf(events: readonly DomainEvent[], now: number): Trace | undefined {
  const start = events.find((event): event is EventOf<"agent_start"> => event.type === "agent_start");
  if (!start) return undefined;
  const builder = new TraceBuilder(start);
  for (const event of events) builder.add(event);
  return builder.build(now);
}
