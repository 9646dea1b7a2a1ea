import type { Agent } from "@parley/client";
import { language, t } from "../app/strings/language.ts";

/** An agent's state, and since when. */
export function AgentState(props: { agent: Agent }) {
  const state = () => (props.agent.enabled ? props.agent.state : "off");
  const since = () => props.agent.enabled && props.agent.since;
  const title = () => {
    const time = since();
    return time ? t().agentsPage.since(new Date(time).toLocaleString(language())) : undefined;
  };
  return (
    <span class="agent-state" data-state={state()} title={title()}>
      {t().agentsPage.state[state()]}
    </span>
  );
}
