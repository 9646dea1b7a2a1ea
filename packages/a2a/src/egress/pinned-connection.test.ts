import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { connectPinned } from "./pinned-connection.ts";

it("a connection refused after it opened is closed, and its late error does not crash the process (invariant 6)", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, "connection");
  // What listens there is 127.0.0.1, which is another address: the same as when the peer is gone before it is asked for.
  const target = { url: new URL(`http://0.0.0.0:${port}/`), host: "0.0.0.0", port, addresses: ["0.0.0.0"] };
  const connecting = connectPinned(target, { signal: AbortSignal.timeout(10_000) });
  await expect(connecting).rejects.toThrow(/0\.0\.0\.0/);
  const [socket] = (await accepted) as [Socket];
  await once(socket.resume(), "close");
});
