import type { Settings } from "@parley/client";
import { For, Match, Show, Switch } from "solid-js";
import { Alert } from "../app/alert.tsx";
import { Button } from "../app/button.tsx";
import { Disclosure } from "../app/disclosure.tsx";
import { createLoaded } from "../app/loaded.ts";
import { setPageTitle } from "../app/page-title.ts";
import { useParley } from "../app/parley.ts";
import { Section } from "../app/section.tsx";
import { LANGUAGES, type Language, language, setLanguage, t } from "../app/strings/language.ts";
import { setTheme, THEMES, theme } from "../app/theme/theme.ts";
import { noticeStanding, turnNoticesOff, turnNoticesOn } from "../approvals/notices.ts";
import { cacheName } from "../people/who.ts";
import { BudgetSection } from "./budget-section.tsx";
import { clearKept } from "./clear-kept.ts";
import { ModelSection } from "./model-section.tsx";
import "./settings-page.css";

const LOOK_EVERY_MS = 10_000;

/** The settings page; the browser's own settings also work offline. */
export default function SettingsPage() {
  const { client } = useParley();
  const settings = createLoaded((signal) => client.readSettings({ signal }), { everyMs: LOOK_EVERY_MS });
  setPageTitle(() => t().app.settings);
  return (
    <div class="plain-page settings-page">
      <h1>{t().app.settings}</h1>
      <Alert
        reason={settings.failure()}
        text={t().settingsPage.cannotRead}
        onRetry={() => void settings.reload()}
      />
      <LookSection />
      <Show when={settings.value()}>{(found) => <ModelSection settings={found()} />}</Show>
      <BudgetSection limits={settings.value()?.limits.supervisor} />
      <NoticesSection />
      <CacheSection />
      <Show when={settings.value()}>
        {(found) => (
          <>
            <ToolsSection agents={found().agents} />
            <p class="muted small">{t().settingsPage.about(found().version, found().database)}</p>
          </>
        )}
      </Show>
    </div>
  );
}

function NoticesSection() {
  return (
    <Section id="settings-notices" title={t().settingsPage.notices} hint={t().settingsPage.noticesHint}>
      <div class="settings-row">
        <Switch>
          <Match when={noticeStanding() === "missing"}>
            <p>{t().settingsPage.noticesMissing}</p>
          </Match>
          <Match when={noticeStanding() === "blocked"}>
            <p>{t().settingsPage.noticesBlocked}</p>
          </Match>
          <Match when={noticeStanding() === "on"}>
            <p class="good">{t().settingsPage.noticesOn}</p>
            <Button label={t().settingsPage.noticesTurnOff} onClick={turnNoticesOff} />
          </Match>
          <Match when={true}>
            <p>{t().settingsPage.noticesOff}</p>
            <Button label={t().settingsPage.noticesTurnOn} onClick={() => void turnNoticesOn()} />
          </Match>
        </Switch>
      </div>
    </Section>
  );
}

function CacheSection() {
  const { state, me } = useParley();
  const words = () => {
    const { keeping } = state();
    return t().settingsPage.keeping[keeping.name === "lasting" ? "lasting" : keeping.reason];
  };
  const unsent = () => state().queue.filter(({ phase }) => phase.name !== "acknowledged").length;
  return (
    <Section id="settings-cache" title={t().settingsPage.cache}>
      <p>{words()}</p>
      <Show when={unsent() > 0}>
        <p class="bad small">{t().settingsPage.unsent(unsent())}</p>
      </Show>
      <div class="settings-row">
        <p class="muted small">{t().settingsPage.clearHint}</p>
        <Button
          label={t().settingsPage.clear}
          disabled={unsent() > 0}
          onClick={async () => {
            await clearKept(cacheName(me));
            location.reload();
          }}
        />
      </div>
    </Section>
  );
}

function LookSection() {
  const languages = Object.keys(LANGUAGES) as Language[];
  return (
    <Section id="settings-look" title={t().settingsPage.look}>
      <fieldset class="choice">
        <legend>{t().theme.label}</legend>
        <For each={THEMES}>
          {(each) => (
            <label>
              <input type="radio" name="theme" checked={theme() === each} onChange={() => setTheme(each)} />
              {t().theme[each]}
            </label>
          )}
        </For>
      </fieldset>
      <fieldset class="choice">
        <legend>{t().language.label}</legend>
        <For each={languages}>
          {(each) => (
            <label>
              <input
                type="radio"
                name="language"
                checked={language() === each}
                onChange={() => setLanguage(each)}
              />
              <span lang={each}>{LANGUAGES[each].languageName}</span>
            </label>
          )}
        </For>
      </fieldset>
    </Section>
  );
}

function ToolsSection(props: { agents: Settings["agents"] }) {
  return (
    <Section id="settings-tools" title={t().settingsPage.tools} hint={t().settingsPage.toolsHint}>
      <For each={props.agents}>
        {(agent) => (
          <div class="settings-agent">
            <h3>
              {agent.name} <span class="muted small">{agent.model}</span>
            </h3>
            <For each={agent.troubles}>{(text) => <p class="bad small">{text}</p>}</For>
            <Show when={agent.mcpServers.length === 0}>
              <p class="muted small">{t().settingsPage.noServers}</p>
            </Show>
            <For each={agent.mcpServers}>
              {({ server, state, reason, tools }) => (
                <div class="mcp-server" data-state={state}>
                  <Disclosure
                    summary={
                      <span>
                        {server} <span class="mcp-state small">{t().settingsPage.serverState[state]}</span>{" "}
                        <span class="muted small">{t().settingsPage.toolCount(tools.length)}</span>
                      </span>
                    }
                  >
                    <ul class="mcp-tools small">
                      <For each={tools}>{(tool) => <li>{tool}</li>}</For>
                    </ul>
                  </Disclosure>
                  <Show when={reason}>{(text) => <p class="bad small">{text()}</p>}</Show>
                </div>
              )}
            </For>
          </div>
        )}
      </For>
    </Section>
  );
}
