import type { ModelTest, Settings } from "@parley/client";
import { createSignal, For, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { reasonOf } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";
import { Section } from "../app/section.tsx";
import { language, t } from "../app/strings/language.ts";

/** The model in use and the providers, with a connection test. */
export function ModelSection(props: { settings: Settings }) {
  const [results, setResults] = createSignal<Readonly<Record<string, ModelTest>>>({});
  const note = (of: string) => (result: ModelTest) => setResults((before) => ({ ...before, [of]: result }));
  const listed = new Intl.ListFormat(language(), { type: "disjunction" });
  return (
    <Section id="settings-model" title={t().settingsPage.model}>
      <div class="settings-row">
        <div>
          <strong>{props.settings.model.name}</strong>{" "}
          <span class="muted small">{t().settingsPage.inUse}</span>
          <Show when={props.settings.model.trouble}>{(text) => <p class="bad small">{text()}</p>}</Show>
          <TestResult result={results()["in use"]} />
        </div>
        <ModelTestButton onResult={note("in use")} label={props.settings.model.name} />
      </div>
      <For each={props.settings.providers}>
        {({ provider, hasKey, keyVariables, defaultModel }) => (
          <div class="settings-row">
            <div>
              <strong>{provider}</strong> <span class="muted small">{defaultModel}</span>
              <p class="small" classList={{ good: hasKey, muted: !hasKey }}>
                {t().settingsPage.key}: {hasKey ? t().settingsPage.hasKey : t().settingsPage.noKey}
                <Show when={!hasKey}>. {t().settingsPage.keyIn(listed.format(keyVariables))}</Show>
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
    </Section>
  );
}

function TestResult(props: { result: ModelTest | undefined }) {
  return (
    <p class="small" role="status">
      <Show when={props.result}>
        {(result) => (
          <span classList={{ good: result().ok, bad: !result().ok }}>
            {result().ok
              ? t().settingsPage.works(Math.round(result().latencyMs))
              : `${t().settingsPage.fails}: ${result().error ?? ""}`}
          </span>
        )}
      </Show>
    </p>
  );
}

function ModelTestButton(props: {
  model?: string;
  /** What is tested, for those who do not see what it stands beside. */
  label: string;
  onResult: (result: ModelTest) => void;
}) {
  const { client } = useParley();
  const [isTesting, setTesting] = createSignal(false);
  const test = async () => {
    setTesting(true);
    const began = performance.now();
    try {
      props.onResult(await client.testModel(props.model));
    } catch (error) {
      const latencyMs = performance.now() - began;
      props.onResult({ model: props.label, ok: false, latencyMs, error: reasonOf(error) });
    }
    setTesting(false);
  };
  return (
    <Button
      label={isTesting() ? t().settingsPage.testing : t().settingsPage.test}
      disabled={isTesting()}
      aria-label={`${t().settingsPage.test}: ${props.label}`}
      onClick={() => void test()}
    />
  );
}
