import { createSignal, onCleanup } from "solid-js";
import { copyText } from "../markdown/copy-text.ts";
import { Button } from "./button.tsx";
import { t } from "./strings/language.ts";

const SAID_FOR_MS = 2_000;

/** Copies a text and shows whether that worked; `text` may throw an error with the reason. */
export function CopyButton(props: { label: string; text: () => string | Promise<string> }) {
  const [said, setSaid] = createSignal<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const copy = async () => {
    try {
      setSaid((await copyText(await props.text())) ? t().markdown.copied : t().markdown.copyFailed);
    } catch (error) {
      setSaid(error instanceof Error ? error.message : t().markdown.copyFailed);
    }
    clearTimeout(timer);
    timer = setTimeout(() => setSaid(undefined), SAID_FOR_MS);
  };
  return <Button kind="quiet" aria-live="polite" label={said() ?? props.label} onClick={copy} icon="copy" />;
}
