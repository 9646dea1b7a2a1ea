import type { ModelTest, Settings } from "@parley/client";
import { createSignal, For, Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import { ModelTestButton } from "./model-test-button.tsx";

/** The model in use and the providers: whether a key is there, where it belongs, and whether an answer comes. */
export function ModelSection(props: { settings: Settings }) {
  const [results, setResults] = createSignal<Readonly<Record<string, ModelTest>>>({});
  const note = (of: string) => (result: ModelTest) => setResults((before) => ({ ...before, [of]: result }));
  return (
    <section class="settings-section" aria-labelledby="settings-model">
      <h2 id="settings-model">{t().settingsPage.model}</h2>
      <div class="settings-row">
        <div>
          <strong>{props.settings.model.name}</strong>{" "}
          <span class="muted small">{t().settingsPage.inUse}</span>
          <Show when={props.settings.model.trouble}>
            {(text) => <p class="settings-bad small">{text()}</p>}
          </Show>
          <TestResult result={results()["in use"]} />
        </div>
        <ModelTestButton onResult={note("in use")} label={props.settings.model.name} />
      </div>
      <For each={props.settings.providers}>
        {({ provider, hasKey, keyVariables, defaultModel }) => (
          <div class="settings-row">
            <div>
              <strong>{provider}</strong> <span class="muted small">{defaultModel}</span>
              <p class="small" classList={{ "settings-good": hasKey, muted: !hasKey }}>
                {t().settingsPage.key}: {hasKey ? t().settingsPage.hasKey : t().settingsPage.noKey}
                <Show when={!hasKey}>. {t().settingsPage.keyIn(keyVariables.join(", "))}</Show>
              </p>
              <TestResult result={results()[provider]} />
            </div>
            <Show when={hasKey && defaultModel}>
              {(model) => (
                <ModelTestButton
                  model={`${provider}:${model()}`}
                  label={provider}
                  onResult={note(provider)}
                />
              )}
            </Show>
          </div>
        )}
      </For>
      <p class="muted small">{props.settings.howToChange}</p>
    </section>
  );
}

function TestResult(props: { result: ModelTest | undefined }) {
  return (
    <p class="small" role="status">
      <Show when={props.result}>
        {(result) => (
          <span classList={{ "settings-good": result().ok, "settings-bad": !result().ok }}>
            {result().ok
              ? t().settingsPage.works(Math.round(result().latencyMs))
              : `${t().settingsPage.fails}: ${result().error ?? ""}`}
          </span>
        )}
      </Show>
    </p>
  );
}
