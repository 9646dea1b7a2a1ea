import type { ModelTest } from "@parley/client";
import { createSignal } from "solid-js";
import { reasonOf } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";

/** Takes one small turn with a model, or with the one in use, and tells how that went. */
export function ModelTestButton(props: {
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
    <button
      type="button"
      class="button"
      disabled={isTesting()}
      aria-label={`${t().settingsPage.test}: ${props.label}`}
      onClick={() => void test()}
    >
      {isTesting() ? t().settingsPage.testing : t().settingsPage.test}
    </button>
  );
}
