import { type JSX, Show } from "solid-js";
import { t } from "../../app/strings/language.ts";

/** One matter of the workspace: its heading, what it is for, why something failed, and the rest. */
export function Section(props: {
  id: string;
  title: string;
  hint?: string;
  failure?: string | undefined;
  children: JSX.Element;
}) {
  return (
    <section class="settings-section" aria-labelledby={props.id}>
      <h2 id={props.id} tabIndex={-1}>
        {props.title}
      </h2>
      <Show when={props.hint}>{(hint) => <p class="muted small">{hint()}</p>}</Show>
      <p class="people-trouble small" role="alert">
        <Show when={props.failure}>{(reason) => t().app.failed(reason())}</Show>
      </p>
      {props.children}
    </section>
  );
}

/** Where a thing was that is gone, the keyboard goes on from the heading above it. */
export function focusHeading(id: string): void {
  document.getElementById(id)?.focus();
}
