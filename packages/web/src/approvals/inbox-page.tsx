import { t } from "../app/strings/language.ts";

/** All that waits for a person, over all conversations. */
export default function InboxPage() {
  return (
    <div class="plain-page">
      <h1>{t().app.inbox}</h1>
      <p class="muted">{t().app.comingSoon}</p>
    </div>
  );
}
