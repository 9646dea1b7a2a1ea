import { type JSX, Show } from "solid-js";
import { Alert } from "./alert.tsx";
import { t } from "./strings/language.ts";

/** A section of a settings page, with its heading, what it is for, and why the last action in it failed. */
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
      <Alert class="bad small" reason={props.failure} text={t().app.failed} />
      {props.children}
    </section>
  );
}

/** Moves the keyboard focus to a section's heading, after what had the focus is gone. */
export function focusHeading(id: string): void {
  document.getElementById(id)?.focus();
}
