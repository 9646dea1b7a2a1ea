import { createSignal, type JSX, onMount, Show } from "solid-js";
import { estimatedHeight } from "./estimated-height.ts";
import type { Nearness } from "./nearness.ts";

/**
 * One item of a conversation. Far from what is seen it is only its words, as high as it was: the page's own search
 * finds them, and a session of any length costs little.
 */
export function TimelineItem(props: {
  nearness: Nearness;
  /** Whether it is drawn at first, before anybody could see where it is. */
  isNear: boolean;
  /** Whether it is drawn wherever it is. */
  isAlwaysDrawn: boolean;
  /** The message that it is, for whoever looks for that. */
  messageId: string | undefined;
  text: string;
  children: JSX.Element;
}) {
  const [isNear, setNear] = createSignal(props.isNear);
  let height: number | undefined;
  let item: HTMLDivElement | undefined;
  onMount(() => {
    const element = item;
    if (!element) return;
    props.nearness.watch(element, (now) => {
      // What somebody opened, writes in or has marked stays as it is.
      if (!now && (props.isAlwaysDrawn || isInUse(element))) return;
      if (!now && isNear()) height = element.offsetHeight;
      setNear(now);
    });
  });
  return (
    <div class="timeline-item" data-message={props.messageId} ref={item}>
      <Show
        when={isNear()}
        fallback={
          <div class="far" style={{ height: `${height ?? estimatedHeight(props.text)}px` }}>
            {props.text}
          </div>
        }
      >
        {props.children}
      </Show>
    </div>
  );
}

function isInUse(element: HTMLElement): boolean {
  if (element.contains(document.activeElement) || element.querySelector("details[open], [aria-busy=true]"))
    return true;
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}
