import { phaseOf, workOf } from "@parley/client";
import { createMemo, For, Index, Show, untrack } from "solid-js";
import { Disclosure } from "../app/disclosure.tsx";
import { createNow } from "../app/now.ts";
import type { SessionView } from "../app/session-view.ts";
import { CallLine } from "./call-line.tsx";
import { LaneCard } from "./lane-card.tsx";
import { PhaseLine } from "./phase-line.tsx";
import { PlanList } from "./plan-list.tsx";
import { RunPlaceProvider } from "./run-place.ts";
import "./work.css";

/** What a run does: open while it goes on, one line afterwards. */
export function RunWork(props: { view: SessionView; runId: string }) {
  const run = createMemo(() => props.view.run(props.runId));
  const isActive = createMemo(() => run()?.status === "running" || run()?.status === "waiting");
  const plan = createMemo(() => run()?.plan ?? []);
  const calls = createMemo(() => run()?.toolCalls ?? []);
  // Which artifacts there are changes seldom; what is in them, all the time.
  const branches = createMemo(() => Object.keys(run()?.texts ?? {}).length);
  const work = createMemo(() => {
    branches();
    return workOf({ toolCalls: calls(), texts: untrack(() => run()?.texts ?? {}) });
  });
  const now = props.view.at ?? createNow(isActive);
  const phase = createMemo(() => {
    const current = run();
    if (!current) return undefined;
    // Of a run that has ended nothing more is heard: it must not listen to every word of the others.
    const heardAt = isActive() ? Date.parse(props.view.shown()?.updatedAt ?? "") || now() : 0;
    return phaseOf(current, { now: now(), heardAt, isCancelling: props.view.isCancelling(props.runId) });
  });
  const place = createMemo(
    () => {
      const current = run();
      if (!current || props.view.isShared) return undefined;
      const { sessionId, agent, agentUrl } = current;
      return { sessionId, runId: props.runId, agent, agentUrl };
    },
    undefined,
    { equals: (one, other) => one?.runId === other?.runId },
  );
  const hasWork = () => plan().length > 0 || calls().length > 0;
  return (
    <Show when={isActive() || hasWork()}>
      <RunPlaceProvider value={place}>
        <Disclosure
          class="work"
          open={isActive()}
          summary={<PhaseLine phase={phase()} now={now()} work={work()} />}
        >
          <Show when={plan().length > 0}>
            <PlanList steps={plan()} />
          </Show>
          <div class="lanes" classList={{ parallel: work().lanes.length > 1 }}>
            <For each={work().lanes.map(({ key }) => key)}>
              {(key) => (
                <LaneCard
                  run={run()}
                  lane={work().lanes.find((lane) => lane.key === key)}
                  now={now()}
                  isOver={!isActive()}
                />
              )}
            </For>
          </div>
          {/* A call changes as it goes on, and keeps its place. */}
          <Index each={work().ownCalls}>
            {(call) => <CallLine call={call()} now={now()} isOver={!isActive()} />}
          </Index>
        </Disclosure>
      </RunPlaceProvider>
    </Show>
  );
}
