import type { JSX } from "solid-js";

/** Something that may be higher than its place: it scrolls, also for those who have only a keyboard. */
export function ScrollBox(props: { class: string; label: string; children: JSX.Element }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and a region of its own each would be too many
    <section class={props.class} role="group" aria-label={props.label} tabindex="0">
      {props.children}
    </section>
  );
}
