import { onCleanup } from "solid-js";
import type { ScrollFollow } from "./scroll-follow.ts";

/** Most browsers anchor the scroll position themselves. */
const BROWSER_KEEPS_PLACE = CSS.supports("overflow-anchor", "auto");
/** Items this far outside the viewport are drawn ahead of time. */
const MARGIN = "1200px 0px";

/** Makes one for the component that calls it; whoever is kept at the end already is not moved once more. */
export function createNearness({ isFollowing }: Pick<ScrollFollow, "isFollowing">) {
  const listeners = new Map<Element, (isNear: boolean) => void>();
  const heights = new Map<Element, number>();
  let scroller: HTMLElement | undefined;
  let crossings: IntersectionObserver | undefined;
  const sizes = new ResizeObserver((entries) => {
    const shift = scroller ? shiftOf(entries, heights, scroller) : 0;
    if (scroller && shift !== 0 && !BROWSER_KEEPS_PLACE && !isFollowing()) scroller.scrollTop += shift;
  });
  const observer = () => {
    crossings ??= new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
      },
      { root: scroller ?? null, rootMargin: MARGIN },
    );
    return crossings;
  };
  onCleanup(() => {
    sizes.disconnect();
    crossings?.disconnect();
  });
  return {
    /** For the element that scrolls. */
    scroller(element: HTMLElement) {
      scroller = element;
    },
    /** Reports each change until the component is gone; to be called when the item is on the page. */
    watch(item: HTMLElement, onChange: (isNear: boolean) => void) {
      listeners.set(item, onChange);
      heights.set(item, item.offsetHeight);
      observer().observe(item);
      sizes.observe(item);
      onCleanup(() => {
        listeners.delete(item);
        heights.delete(item);
        crossings?.unobserve(item);
        sizes.unobserve(item);
      });
    },
  };
}

/** By how much items above the viewport have grown: the scroll position moves by the same amount. */
function shiftOf(
  entries: readonly ResizeObserverEntry[],
  heights: Map<Element, number>,
  scroller: HTMLElement,
): number {
  const top = scroller.getBoundingClientRect().top;
  const changed = entries
    .map(({ target }) => ({ target, rect: target.getBoundingClientRect() }))
    .sort((one, other) => one.rect.top - other.rect.top);
  let shift = 0;
  for (const { target, rect } of changed) {
    const before = heights.get(target) ?? rect.height;
    heights.set(target, rect.height);
    const bottomBefore = rect.top - shift + before;
    if (bottomBefore <= top) shift += rect.height - before;
  }
  return shift;
}

/** Knows which items of a long list are near what is seen. */
export type Nearness = ReturnType<typeof createNearness>;
