import { EventType, type JsonPatchOperation } from "@ag-ui/core";
import { isObject } from "@parley/a2a";
import type { EventOf, PlanStep } from "@parley/sessions";
import type { EventSink } from "./sub-agent-encoder.ts";

const AT_WORK: ReadonlySet<PlanStep["state"]> = new Set(["working", "waiting"]);

/** The state that is shared with the client: the plan and the agent's status. */
export class StateEncoder {
  readonly #sink: EventSink;
  readonly #clients: Readonly<Record<string, unknown>>;
  readonly #session: string | undefined;
  readonly #steps = new Map<string, string>();
  #plan: readonly PlanStep[];
  #status: Readonly<Record<string, unknown>> | null = null;

  /** The client's own state is kept; the session tells us where the client was when it comes back. */
  constructor(
    sink: EventSink,
    clients: unknown,
    {
      session,
      plan = [],
    }: { readonly session?: string | undefined; readonly plan?: readonly PlanStep[] | undefined },
  ) {
    this.#sink = sink;
    this.#session = session;
    this.#plan = plan;
    this.#clients = isObject(clients) ? clients : {};
  }

  get snapshot(): Readonly<Record<string, unknown>> {
    const parley = this.#session === undefined ? {} : { parley: { session: this.#session } };
    return { ...this.#clients, plan: this.#plan, status: this.#status, ...parley };
  }

  /** Starts another run, without a plan. */
  clear(): void {
    this.change({ steps: [] });
    this.settle();
  }

  change({ steps }: Pick<EventOf<"agent_plan">, "steps">): void {
    const delta = difference(this.#plan, steps);
    this.#plan = steps;
    if (delta.length > 0) this.#sink.emit({ type: EventType.STATE_DELTA, delta });
    this.workOn();
  }

  report({ state, text, agent }: EventOf<"agent_status">): void {
    this.#status = { state, text, agent };
    const delta: JsonPatchOperation[] = [{ op: "replace", path: "/status", value: this.#status }];
    this.#sink.emit({ type: EventType.STATE_DELTA, delta });
  }

  workOn(): void {
    const now = new Map(
      this.#plan.filter(({ state }) => AT_WORK.has(state)).map(({ id, title }) => [id, `${id}: ${title}`]),
    );
    for (const [id, stepName] of this.#steps) if (now.get(id) !== stepName) this.#finish(id, stepName);
    for (const [id, stepName] of now) {
      if (this.#steps.has(id)) continue;
      this.#steps.set(id, stepName);
      this.#sink.emit({ type: EventType.STEP_STARTED, stepName });
    }
  }

  /** Finishes all open steps because the stream ends. */
  settle(): void {
    for (const [id, stepName] of this.#steps) this.#finish(id, stepName);
  }

  /** Forgets the steps that another stream has sent. */
  markSent(): void {
    this.#steps.clear();
  }

  #finish(id: string, stepName: string): void {
    this.#steps.delete(id);
    this.#sink.emit({ type: EventType.STEP_FINISHED, stepName });
  }
}

/** A JSON patch from one plan to the other; where the steps are the same, only their changes. */
function difference(before: readonly PlanStep[], now: readonly PlanStep[]): JsonPatchOperation[] {
  const isSame = before.length === now.length && now.every(({ id }, at) => before[at]?.id === id);
  if (!isSame) return [{ op: "replace", path: "/plan", value: now }];
  return now.flatMap((step, at): JsonPatchOperation[] => {
    const was = before[at];
    if (!was || JSON.stringify(was) === JSON.stringify(step)) return [];
    const isStateOnly = JSON.stringify({ ...was, state: step.state }) === JSON.stringify(step);
    return isStateOnly
      ? [{ op: "replace", path: `/plan/${at}/state`, value: step.state }]
      : [{ op: "replace", path: `/plan/${at}`, value: step }];
  });
}
