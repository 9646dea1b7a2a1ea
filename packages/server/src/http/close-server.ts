import type { Server } from "node:http";

const CLOSE_CONNECTIONS_AFTER_MS = 500;

/** Takes no new connections, and gives the open ones a moment; also for a server that never listened. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const impatience = setTimeout(() => server.closeAllConnections(), CLOSE_CONNECTIONS_AFTER_MS);
  await closed;
  clearTimeout(impatience);
}
