import { durationText, type RunPhase, type Work } from "@parley/client";
import { Show } from "solid-js";
import { t } from "../app/strings/language.ts";

/** What a run is about, in one line; after its end, what it took. */
export function PhaseLine(props: { phase: RunPhase | undefined; work: Work; now: number }) {
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
