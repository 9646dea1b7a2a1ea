import { Show } from "solid-js";
import { Button } from "./button.tsx";
import { t } from "./strings/language.ts";

/** Says that something failed and why, and offers to try again where that can help; draws nothing without a reason. */
export function Alert(props: {
  reason: string | undefined;
  text: (reason: string) => string;
  class?: string;
  onRetry?: () => void;
}) {
  return (
    <Show when={props.reason}>
      {(reason) => (
        <p class={props.class ?? "warning"} role="alert">
          {props.text(reason())}{" "}
          <Show when={props.onRetry}>
            {(retry) => <Button kind="link" label={t().app.retry} onClick={() => retry()()} />}
          </Show>
        </p>
      )}
    </Show>
  );
}
