/** Whether there is a network at all, as far as the device knows. */
export interface Connectivity {
  readonly isOnline: boolean;
  /** Calls the listener at each change, until the returned function is called. */
  subscribe(listener: (isOnline: boolean) => void): () => void;
}

/** For where nobody can tell: there always is. */
export const alwaysOnline: Connectivity = { isOnline: true, subscribe: () => () => {} };

export interface WindowLike {
  readonly navigator: { readonly onLine: boolean };
  addEventListener(type: "online" | "offline", listener: () => void): void;
  removeEventListener(type: "online" | "offline", listener: () => void): void;
}

export function browserConnectivity(window: WindowLike): Connectivity {
  return {
    get isOnline() {
      return window.navigator.onLine;
    },
    subscribe(listener) {
      const tell = () => listener(window.navigator.onLine);
      window.addEventListener("online", tell);
      window.addEventListener("offline", tell);
      return () => {
        window.removeEventListener("online", tell);
        window.removeEventListener("offline", tell);
      };
    },
  };
}

/** Resolves when there is a network, or when the signal is aborted. */
export function whenOnline(connectivity: Connectivity, signal: AbortSignal): Promise<void> {
  if (connectivity.isOnline || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      unsubscribe();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const unsubscribe = connectivity.subscribe((isOnline) => isOnline && end());
    signal.addEventListener("abort", end, { once: true });
  });
}
