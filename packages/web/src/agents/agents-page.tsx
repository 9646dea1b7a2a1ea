import { t } from "../app/strings/language.ts";

/** The agents that are known here. */
export default function AgentsPage() {
  return (
    <div class="plain-page">
      <h1>{t().app.agents}</h1>
      <p class="muted">{t().app.comingSoon}</p>
    </div>
  );
}
