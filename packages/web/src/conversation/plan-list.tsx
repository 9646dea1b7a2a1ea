import type { PlanStep } from "@parley/client";
import { For, Show } from "solid-js";
import { Icon, type IconName } from "../app/icon.tsx";
import { t } from "../app/strings/language.ts";

const ICONS: Readonly<Record<PlanStep["state"], IconName>> = {
  pending: "dot",
  working: "dot",
  waiting: "question",
  completed: "check",
  failed: "cross",
  canceled: "stop",
  skipped: "skip",
};

/** The plan as a checklist: what is done, what is under way, and who does it. */
export function PlanList(props: { steps: readonly PlanStep[] }) {
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
