import type { RecordedPlan } from "./recording.ts";

/** A call, and those that had ended when it began. */
export interface PlacedCall {
  readonly id: string;
  readonly after: readonly PlacedCall[];
}

/** Where a call stands: calls of one round are made side by side, in the order of their places. */
export interface CallPlace {
  readonly round: number;
  readonly place: number;
}

/** The place of each call, given in the order in which they began: the same however long each of them took. */
export function callRounds<Call extends PlacedCall>(
  calls: readonly Call[],
  plans: readonly RecordedPlan[],
): Map<PlacedCall, CallPlace> {
  const stepOf = stepFinder(plans);
  const places = new Map<PlacedCall, CallPlace>();
  for (const call of calls) {
    const { place = 0, needs = [] } = stepOf(call.id) ?? {};
    const first = [...places.keys()].filter(({ id }) => id === call.id || needs.includes(id));
    // When a step that waits for others begins, it is chance which of the rest have ended: only those it waits for count.
    const before = first.length > 0 ? first : call.after;
    places.set(call, { round: 1 + Math.max(0, ...before.map((one) => places.get(one)?.round ?? 0)), place });
  }
  return places;
}

/** Finds the step that a call carries out: its id is that of the plan's own call, a point, and the step's id. */
function stepFinder(plans: readonly RecordedPlan[]) {
  const found = new Map<string, RecordedPlan>();
  return (callId: string): { readonly place: number; readonly needs: readonly string[] } | undefined => {
    const [, planCall = "", stepId] = /^([^.]*)\.(.*)$/s.exec(callId) ?? [];
    // Plans may use the same ids for their steps: they are carried out one after the other.
    const left = plans.filter((plan) => ![...found.values()].includes(plan));
    const plan = found.get(planCall) ?? left.find((steps) => steps.some(({ id }) => id === stepId));
    const place = plan?.findIndex(({ id }) => id === stepId) ?? -1;
    if (!plan || place < 0) return undefined;
    found.set(planCall, plan);
    return { place, needs: plan[place]?.dependencies.map((id) => `${planCall}.${id}`) ?? [] };
  };
}
