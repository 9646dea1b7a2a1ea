import type { StreamableHTTPClientTransportOptions } from "@modelcontextprotocol/client";

/** Transport options of a client whose first response to a request with this text can be cut, like a network failure. */
export function cuttable(words: string): {
  readonly transport: StreamableHTTPClientTransportOptions;
  readonly cut: () => void;
} {
  const breaking = new AbortController();
  let isTaken = false;
  return {
    cut: () => breaking.abort(),
    transport: {
      reconnectionOptions: {
        ...{ initialReconnectionDelay: 20, maxReconnectionDelay: 100 },
        ...{ reconnectionDelayGrowFactor: 1, maxRetries: 20 },
      },
      fetch(url, init) {
        if (isTaken || !String(init?.body).includes(words)) return fetch(url, init);
        isTaken = true;
        const signals = [breaking.signal, ...(init?.signal ? [init.signal] : [])];
        return fetch(url, { ...init, signal: AbortSignal.any(signals) });
      },
    },
  };
}
