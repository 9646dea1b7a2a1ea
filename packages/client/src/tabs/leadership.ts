/** The right to act for all tabs, which one of them has at a time. */
export interface Leadership {
  /** Resolves when it is this tab's, or when the signal is aborted; with the signal, or with the tab, it ends. */
  take(signal: AbortSignal): Promise<void>;
}

/** The parts of `navigator.locks` that the leader election uses. */
export interface LocksLike {
  request(
    name: string,
    options: { readonly signal: AbortSignal },
    hold: () => Promise<void>,
  ): Promise<unknown>;
}

/** By a lock of the browser's, which it takes from a tab that is no more. */
export function webLock(name: string, locks: LocksLike): Leadership {
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        const holding = locks.request(name, { signal }, () => {
          resolve();
          return aborted(signal);
        });
        holding.catch((error) => (signal.aborted ? resolve() : reject(error)));
      }),
  };
}

/** Where the browser has no locks, every tab is for itself. */
export const everyTabLeads: Leadership = { take: () => Promise.resolve() };

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
