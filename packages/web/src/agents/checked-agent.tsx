import type { Agent } from "@parley/client";
import { Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import { AgentState } from "./agent-state.tsx";
import { FindingsList } from "./findings-list.tsx";

/** What was found at an address before it is added: who is there, and what the validator says of its card. */
export function CheckedAgent(props: { agent: Agent }) {
  return (
    <section class="checked-agent" role="status">
      <p class="agent-head">
        <strong>{props.agent.name}</strong>
        <AgentState agent={props.agent} />
        <Show when={props.agent.negotiated}>
          {(spoken) => (
            <span class="muted small">
              A2A {spoken().dialect}, {spoken().binding}
            </span>
          )}
        </Show>
      </p>
      <Show when={props.agent.description}>{(text) => <p class="small">{text()}</p>}</Show>
      <Show when={props.agent.trouble}>{(text) => <p class="agent-trouble small">{text()}</p>}</Show>
      <Show
        when={props.agent.findings}
        fallback={
          <Show when={props.agent.state === "up"}>
            <p class="small agent-fine">{t().agentsPage.noFindings}</p>
          </Show>
        }
      >
        {(findings) => <FindingsList findings={findings()} />}
      </Show>
    </section>
  );
}
