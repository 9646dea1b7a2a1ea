/** Calls back before the next frame, and also soon in a hidden tab. */
export type NextFrame = (act: () => void) => void;

const HIDDEN_EVERY_MS = 250;

const browserFrame: NextFrame = (act) => {
  const once = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    act();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, HIDDEN_EVERY_MS);
};

/** Passes on only the last value of each frame: 600 events are not 600 reflows. */
export function perFrame<Value>(
  apply: (value: Value) => void,
  nextFrame: NextFrame = browserFrame,
): (value: Value) => void {
  let latest: { readonly value: Value } | undefined;
  return (value) => {
    const isAwaited = latest !== undefined;
    latest = { value };
    if (isAwaited) return;
    nextFrame(() => {
      const taken = latest;
      latest = undefined;
      if (taken) apply(taken.value);
    });
  };
}
