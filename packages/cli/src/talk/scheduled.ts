/** The screen is drawn at most this often. */
const FRAME_MS = 40;

/** Coalesces requests to act into one call per frame. */
export function coalesced(act: () => void): { soon(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    soon() {
      timer ??= setTimeout(() => {
        timer = undefined;
        act();
      }, FRAME_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
