import type { Configuration, SyncState } from "@parley/client";

/** A session's configuration as it will be when all that is on its way has arrived; it is always replaced as a whole. */
export function sessionConfig({ open, list, queue }: SyncState, sessionId: string): Configuration {
  const recorded = open[sessionId]?.record.config ?? list.sessions[sessionId]?.metadata.config ?? {};
  return queue
    .filter(({ command, phase }) => command.sessionId === sessionId && phase.name !== "refused")
    .reduce(
      (config, { command }) =>
        command.type === "create" || command.type === "change" ? (command.config ?? config) : config,
      recorded,
    );
}
