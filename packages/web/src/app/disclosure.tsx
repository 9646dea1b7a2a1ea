import { createSignal, type JSX, Show } from "solid-js";
import { Icon } from "./icon.tsx";

/** A disclosure that follows `open` until the user toggles it; closed content is not drawn. */
export function Disclosure(props: {
  class?: string;
  open?: boolean;
  summary: JSX.Element;
  children: JSX.Element;
}) {
  const [choice, setChoice] = createSignal<boolean>();
  const isOpen = () => choice() ?? props.open ?? false;
  return (
    <details
      class={`disclosure ${props.class ?? ""}`}
      open={isOpen()}
      onToggle={(event) => {
        const now = event.currentTarget.open;
        if (now !== isOpen()) setChoice(now);
      }}
    >
      <summary>
        <Icon name="chevron" />
        {props.summary}
      </summary>
      <Show when={isOpen()}>
        <div class="disclosed">{props.children}</div>
      </Show>
    </details>
  );
}
