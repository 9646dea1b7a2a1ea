import type { JSX } from "solid-js";

/** A scrollable box that the keyboard can reach. */
export function ScrollBox(props: { class: string; label: string; children: JSX.Element }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and a region of its own each would be too many
    <section class={props.class} role="group" aria-label={props.label} tabindex="0">
      {props.children}
    </section>
  );
}
