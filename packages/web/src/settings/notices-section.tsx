import { Match, Switch } from "solid-js";
import { t } from "../app/strings/language.ts";
import { noticeStanding, turnNoticesOff, turnNoticesOn } from "../approvals/notices.ts";

/** Whether the desktop tells of what waits; the browser is asked only when the button is pressed. */
export function NoticesSection() {
  return (
    <section class="settings-section" aria-labelledby="settings-notices">
      <h2 id="settings-notices">{t().settingsPage.notices}</h2>
      <p class="muted small">{t().settingsPage.noticesHint}</p>
      <div class="settings-row">
        <Switch>
          <Match when={noticeStanding() === "missing"}>
            <p>{t().settingsPage.noticesMissing}</p>
          </Match>
          <Match when={noticeStanding() === "blocked"}>
            <p>{t().settingsPage.noticesBlocked}</p>
          </Match>
          <Match when={noticeStanding() === "on"}>
            <p class="settings-good">{t().settingsPage.noticesOn}</p>
            <button type="button" class="button" onClick={turnNoticesOff}>
              {t().settingsPage.noticesTurnOff}
            </button>
          </Match>
          <Match when={true}>
            <p>{t().settingsPage.noticesOff}</p>
            <button type="button" class="button" onClick={() => void turnNoticesOn()}>
              {t().settingsPage.noticesTurnOn}
            </button>
          </Match>
        </Switch>
      </div>
    </section>
  );
}
