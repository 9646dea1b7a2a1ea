/**
 * Where a server is in its life:
 *
 *     starting ─▶ ready ─▶ down ─▶ restarting ─▶ ready
 *         └────────────────▶ ▲ ◀──────┘              … ─▶ stopped
 */
export type ServerState =
  | { readonly phase: "starting" }
  | { readonly phase: "ready" }
  /** Not usable, for this reason; undefined `retryInMs` means that trying again would not help. */
  | { readonly phase: "down"; readonly reason: string; readonly retryInMs: number | undefined }
  | { readonly phase: "restarting"; readonly reason: string }
  | { readonly phase: "stopped" };

/** Why a server in this state cannot be called, or undefined when it can. */
export function unavailability(state: ServerState): string | undefined {
  switch (state.phase) {
    case "ready":
      return undefined;
    case "starting":
      return "it is still starting";
    case "stopped":
      return "it was stopped";
    case "down":
      return state.reason;
    case "restarting":
      return `it is being restarted, because ${state.reason}`;
  }
}

/** What happens around a server, for logs; secrets are hidden already. */
export type McpServerEvent =
  | { readonly type: "state"; readonly server: string; readonly state: ServerState }
  /** The server's tools are now these, by their names at the server. */
  | { readonly type: "tools"; readonly server: string; readonly tools: readonly string[] }
  /** A line that the server wrote to its log, at most so many a minute. */
  | { readonly type: "log"; readonly server: string; readonly line: string }
  | { readonly type: "noise"; readonly server: string; readonly line: string };

export type McpObserver = (event: McpServerEvent) => void;
