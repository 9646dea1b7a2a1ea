/** So often at most the screen is drawn while words come. */
const FRAME_MS = 40;

/** Many wishes become one act, after a moment. */
export function scheduled(act: () => void): { soon(): void; stop(): void } {
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
