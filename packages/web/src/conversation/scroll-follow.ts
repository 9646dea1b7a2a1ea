import { type Accessor, createSignal, onCleanup } from "solid-js";

/** Keeps the latest in view while the reader is there, and never moves a reader who is elsewhere. */
export interface ScrollFollow {
  /** For the element that scrolls, and for the one in it that grows. */
  scroller(element: HTMLElement): void;
  content(element: HTMLElement): void;
  /** Whether there is something below that the reader does not see. */
  readonly isAway: Accessor<boolean>;
  toLatest(): void;
  /** To something further up, where the reader stays. */
  toElement(element: HTMLElement): void;
}

/** So near to the end counts as there. */
const NEAR = 64;

/** Makes one for the component that calls it. */
export function createScrollFollow(): ScrollFollow {
  const [isAway, setAway] = createSignal(false);
  let scroller: HTMLElement | undefined;
  let isFollowing = true;
  /** What the reader was led to, until the reader moves: what is drawn late above it must not push it away. */
  let held: HTMLElement | undefined;
  let lastTop = 0;
  const distance = () => (scroller ? scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight : 0);
  const letGo = () => {
    held = undefined;
  };
  const settle = () => {
    held?.scrollIntoView({ block: "center", behavior: "instant" });
    if (isFollowing) scroller?.scrollTo({ top: scroller.scrollHeight, behavior: "instant" });
    setAway(!isFollowing && distance() > NEAR);
  };
  const onScroll = () => {
    const top = scroller?.scrollTop ?? 0;
    // What grows below never moves the top upwards: only a reader does.
    if (top < lastTop - 1 && distance() > NEAR) isFollowing = false;
    else if (distance() <= NEAR && !held) isFollowing = true;
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
      for (const type of ["wheel", "touchmove", "pointerdown", "keydown"])
        element.addEventListener(type, letGo, { passive: true });
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
      letGo();
      isFollowing = true;
      settle();
    },
    toElement(element) {
      isFollowing = false;
      held = element;
      settle();
    },
  };
}
