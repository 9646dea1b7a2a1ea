import { Show } from "solid-js";
import { t } from "../app/strings/language.ts";

/** The one who asks the others, among those who can be chosen for a conversation. */
export function SupervisorCard(props: { label: string; isCurrent: boolean; onTalk: () => void }) {
  return (
    <article class="agent-card" aria-labelledby="agent-supervisor">
      <header class="agent-head">
        <h2 id="agent-supervisor">supervisor</h2>
        <Show when={props.isCurrent}>
          <span class="small agent-current">{t().agentsPage.current}</span>
        </Show>
      </header>
      <p>{t().conversation.welcomeHint}</p>
      <footer class="agent-actions">
        <button type="button" class="button primary" onClick={props.onTalk}>
          {props.label}
        </button>
      </footer>
    </article>
  );
}
