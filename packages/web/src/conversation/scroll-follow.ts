import { type Accessor, createSignal, onCleanup } from "solid-js";

/** Keeps the end in view while the reader is there, and never moves a reader who has scrolled away. */
export interface ScrollFollow {
  /** For the element that scrolls, and for the one in it that grows. */
  scroller(element: HTMLElement): void;
  content(element: HTMLElement): void;
  /** Whether there is something below that the reader does not see. */
  readonly isAway: Accessor<boolean>;
  /** Whether the reader is kept at the latest. */
  isFollowing(): boolean;
  toLatest(): void;
  /** To something further up, where the reader stays. */
  toElement(element: HTMLElement): void;
}

/** Pixels from the end that still count as the end. */
const NEAR = 64;
/** A scroll within this time after an input is the reader's own. */
const INTENT_MS = 700;

/** Makes one for the component that calls it. */
export function createScrollFollow(): ScrollFollow {
  const [isAway, setAway] = createSignal(false);
  let scroller: HTMLElement | undefined;
  let isFollowing = true;
  /** What the reader was led to, until the reader moves: what is drawn late above it must not push it away. */
  let held: HTMLElement | undefined;
  let lastTop = 0;
  let lastHeight = 0;
  let intendedUntil = 0;
  const distance = () => (scroller ? scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight : 0);
  const letGo = () => {
    held = undefined;
  };
  const settle = () => {
    held?.scrollIntoView({ block: "center", behavior: "instant" });
    if (isFollowing) scroller?.scrollTo({ top: scroller.scrollHeight, behavior: "instant" });
    lastHeight = scroller?.scrollHeight ?? 0;
    setAway(!isFollowing && distance() > NEAR);
  };
  const onScroll = () => {
    const { scrollTop: top = 0, scrollHeight: height = 0 } = scroller ?? {};
    // What grows below never moves the top upwards; what shrinks above does, and is not the reader.
    const isReader = height === lastHeight || performance.now() < intendedUntil;
    if (top < lastTop - 1 && distance() > NEAR) isFollowing &&= !isReader;
    else if (distance() <= NEAR && !held) isFollowing = true;
    lastTop = top;
    lastHeight = height;
    setAway(!isFollowing && distance() > NEAR);
  };
  const leave = () => {
    if (scroller && scroller.scrollTop > 0) isFollowing = false;
  };
  const intend = (milliseconds: number) => () => {
    intendedUntil = performance.now() + milliseconds;
  };
  const observer = new ResizeObserver(settle);
  onCleanup(() => observer.disconnect());
  return {
    isAway,
    isFollowing: () => isFollowing,
    scroller(element) {
      scroller = element;
      element.addEventListener("scroll", onScroll, { passive: true });
      for (const type of ["wheel", "touchmove", "pointerdown", "keydown"])
        element.addEventListener(type, letGo, { passive: true });
      for (const type of ["wheel", "touchmove", "keydown", "pointerup"])
        element.addEventListener(type, intend(INTENT_MS), { passive: true });
      // At once, so that nothing pulls the reader back before the browser has scrolled.
      element.addEventListener("wheel", ({ deltaY }) => deltaY < 0 && leave(), { passive: true });
      // The scroll bar is held for as long as it takes.
      element.addEventListener("pointerdown", intend(Number.POSITIVE_INFINITY), { passive: true });
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
