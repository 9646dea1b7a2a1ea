import { type Accessor, createSignal, onCleanup } from "solid-js";

/** Keeps the latest in view while the reader is there, and never moves a reader who is elsewhere. */
export interface ScrollFollow {
  /** For the element that scrolls, and for the one in it that grows. */
  scroller(element: HTMLElement): void;
  content(element: HTMLElement): void;
  /** Whether there is something below that the reader does not see. */
  readonly isAway: Accessor<boolean>;
  toLatest(): void;
}

/** So near to the end counts as there. */
const NEAR = 64;

/** Makes one for the component that calls it. */
export function createScrollFollow(): ScrollFollow {
  const [isAway, setAway] = createSignal(false);
  let scroller: HTMLElement | undefined;
  let isFollowing = true;
  let lastTop = 0;
  const distance = () => (scroller ? scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight : 0);
  const settle = () => {
    if (isFollowing) scroller?.scrollTo({ top: scroller.scrollHeight, behavior: "instant" });
    setAway(!isFollowing && distance() > NEAR);
  };
  const onScroll = () => {
    const top = scroller?.scrollTop ?? 0;
    // What grows below never moves the top upwards: only a reader does.
    if (top < lastTop - 1 && distance() > NEAR) isFollowing = false;
    else if (distance() <= NEAR) isFollowing = true;
    lastTop = top;
    setAway(!isFollowing && distance() > NEAR);
  };
  const observer = new ResizeObserver(settle);
  onCleanup(() => observer.disconnect());
  return {
    isAway,
    scroller(element) {
      scroller = element;
      element.addEventListener("scroll", onScroll, { passive: true });
      observer.observe(element);
    },
    content(element) {
      observer.observe(element);
      // Who opens something wants to look at that, not at what is below it.
      element.addEventListener("click", ({ target }) => {
        if (target instanceof Element && target.closest("summary, .user-tools")) isFollowing = false;
      });
    },
    toLatest() {
      isFollowing = true;
      settle();
    },
  };
}
