import { A } from "@solidjs/router";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import "./agent-choice.css";

/** Who answers where nobody was chosen. */
const SUPERVISOR = "supervisor";

/** In a conversation's head: who speaks here, and the way to choose another. */
export function AgentChoice(props: { view: SessionView }) {
  const agent = () => props.view.shown()?.agent ?? SUPERVISOR;
  return (
    <A
      class="agent-choice"
      href={`/agents?for=${encodeURIComponent(props.view.id())}`}
      aria-label={t().agentsPage.speaksHere(agent())}
      title={t().agentsPage.speaksHere(agent())}
    >
      {agent()}
    </A>
  );
}
