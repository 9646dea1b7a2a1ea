import type { Agent } from "@parley/client";
import { For, Show } from "solid-js";
import { language, t } from "../app/strings/language.ts";
import { figuresOf } from "./figures.ts";

/** How an agent has done, in figures. */
export function AgentStatistics(props: { agent: Agent }) {
  return (
    <Show when={props.agent.statistics} fallback={<p class="muted small">{t().agentsPage.notYet}</p>}>
      {(statistics) => (
        <dl class="figures" aria-label={t().agentsPage.statistics}>
          <For each={figuresOf(statistics(), language())}>
            {({ name, text }) => (
              <div>
                <dt>{t().agentsPage[name]}</dt>
                <dd>{text}</dd>
              </div>
            )}
          </For>
        </dl>
      )}
    </Show>
  );
}
