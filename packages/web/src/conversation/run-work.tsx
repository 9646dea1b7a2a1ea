import "./work.css";
import {
  durationText,
  type Lane,
  type PlanStep,
  phaseOf,
  type RunPhase,
  type RunRecord,
  type Work,
  workOf,
} from "@parley/client";
import { createMemo, For, Index, Show, untrack } from "solid-js";
import { Disclosure } from "../app/disclosure.tsx";
import { Icon, type IconName } from "../app/icon.tsx";
import { createNow } from "../app/now.ts";
import { ScrollBox } from "../app/scroll-box.tsx";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { AnswerText } from "./answer-text.tsx";
import { CallLine } from "./call-line.tsx";
import { RunPlaceProvider } from "./run-place.ts";

const ICONS: Readonly<Record<PlanStep["state"], IconName>> = {
  pending: "dot",
  working: "dot",
  waiting: "question",
  completed: "check",
  failed: "cross",
  canceled: "stop",
  skipped: "skip",
};

/** The work of a run: expanded while it is active, one line afterwards. */
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
    // An ended run does not change any more: it must not subscribe to every chunk of other runs.
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

function PlanList(props: { steps: readonly PlanStep[] }) {
  return (
    <ol class="plan" aria-label={t().conversation.plan}>
      <For each={props.steps.map(({ id }) => id)}>
        {(id) => {
          const step = () => props.steps.find((each) => each.id === id);
          return (
            <li data-state={step()?.state}>
              <Icon name={ICONS[step()?.state ?? "pending"]} />
              <span class="step-title">{step()?.title}</span>
              <span class="visually-hidden">{t().work.step[step()?.state ?? "pending"]}</span>
              <Show when={step()?.agent}>{(agent) => <span class="who">{agent()}</span>}</Show>
            </li>
          );
        }}
      </For>
    </ol>
  );
}

function LaneCard(props: {
  run: RunRecord | undefined;
  lane: Lane | undefined;
  now: number;
  isOver: boolean;
}) {
  const text = (id: string) => props.run?.texts[id];
  return (
    <Show when={props.lane}>
      {(lane) => (
        <article class="lane" aria-label={lane().agent}>
          <CallLine call={lane().delegation} now={props.now} isOver={props.isOver} />
          {/* A call changes as it goes on, and keeps its place. */}
          <Index each={lane().calls}>
            {(call) => (
              <CallLine
                call={call()}
                now={props.now}
                isInner
                isOver={props.isOver || lane().delegation.outcome !== undefined}
              />
            )}
          </Index>
          <For each={lane().texts}>
            {(id) => (
              <ScrollBox class="lane-text" label={t().conversation.agentSays(lane().agent)}>
                <AnswerText text={text(id)?.text ?? ""} done={!text(id)?.isOpen} />
              </ScrollBox>
            )}
          </For>
        </article>
      )}
    </Show>
  );
}

function PhaseLine(props: { phase: RunPhase | undefined; work: Work; now: number }) {
  const elapsed = () => (props.phase && "since" in props.phase ? props.now - props.phase.since : 0);
  return (
    <span class="phase-line" classList={{ alive: props.phase !== undefined && "since" in props.phase }}>
      <span class="phase" data-phase={props.phase?.name}>
        {props.phase && "since" in props.phase ? phaseText(props.phase) : summaryOf(props.work)}
      </span>
      <Show when={elapsed() >= 1_000}>
        <span class="muted elapsed">
          {durationText(Math.floor(elapsed() / 1_000) * 1_000).replace(".0", "")}
        </span>
      </Show>
      <Show when={props.phase?.name === "completed" && props.phase.durationMs}>
        {(duration) => <span class="muted">{durationText(duration())}</span>}
      </Show>
    </span>
  );
}

function phaseText(phase: Extract<RunPhase, { since: number }>): string {
  const words = t().phase;
  switch (phase.name) {
    case "agents":
      return words.agents(new Intl.ListFormat(document.documentElement.lang).format(phase.agents));
    case "tool":
      return words.tool(phase.tool.replaceAll("__", " · "));
    default:
      return words[phase.name];
  }
}

function summaryOf({ lanes, ownCalls }: Work): string {
  const words = t().work;
  const calls = ownCalls.length + lanes.reduce((sum, lane) => sum + lane.calls.length, 0);
  const parts = [
    ...(lanes.length > 0 ? [words.agents(new Set(lanes.map(({ agent }) => agent)).size)] : []),
    ...(calls > 0 ? [words.calls(calls)] : []),
  ];
  return parts.join(" · ") || t().conversation.plan;
}
