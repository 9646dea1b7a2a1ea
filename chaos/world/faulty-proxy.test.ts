import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { freePort } from "@parley/testing/free-ports.ts";
import { expect, it, onTestFinished } from "vitest";
import { CUTS, type Cut } from "../schedule/fault.ts";
import { FaultyProxy } from "./faulty-proxy.ts";

/** A server that sends back what it gets, behind a proxy. */
async function behindProxy(): Promise<{ proxy: FaultyProxy; dial: () => Promise<Socket> }> {
  const server = createServer((socket) => socket.on("error", () => {}).pipe(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: target } = server.address() as AddressInfo;
  const proxy = await FaultyProxy.start({ port: await freePort(), target });
  onTestFinished(async () => {
    await proxy.stop();
    server.close();
  });
  const dial = async () => {
    const socket = connect(proxy.port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  return { proxy, dial };
}

/** What comes back, until all of it has, the connection ends or this time is over. */
async function returned(
  socket: Socket,
  sent: string,
  withinMs = 60_000,
): Promise<{ bytes: Buffer; isOpen: boolean }> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(sent);
  const until = performance.now() + withinMs;
  while (performance.now() < until && !socket.destroyed && Buffer.concat(chunks).toString() !== sent)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return { bytes: Buffer.concat(chunks), isOpen: !socket.destroyed };
}

it("the proxy forwards everything without a fault", async () => {
  const { dial } = await behindProxy();
  expect((await returned(await dial(), "port 港 ok")).bytes.toString()).toBe("port 港 ok");
});

it("a reset breaks open connections, and the next one works", async () => {
  const { proxy, dial } = await behindProxy();
  const socket = await dial();
  await returned(socket, "hello");
  proxy.break("reset");
  await expect.poll(() => socket.destroyed).toBe(true);
  expect((await returned(await dial(), "again")).bytes.toString()).toBe("again");
});

it.each([
  ["black-hole", "", true],
  ["mid-character", "port \xe6", false],
] as const)("%s lets only the expected bytes through", async (how, expected, isOpen) => {
  const { proxy, dial } = await behindProxy();
  const socket = await dial();
  proxy.break(how);
  const back = await returned(socket, "port 港 ok", isOpen ? 1_500 : undefined);
  expect([back.bytes.toString("latin1"), back.isOpen]).toEqual([expected, isOpen]);
});

it("one-byte-a-second forwards at most one byte per second", async () => {
  const { proxy, dial } = await behindProxy();
  const socket = await dial();
  proxy.break("one-byte-a-second");
  const began = performance.now();
  const { bytes, isOpen } = await returned(socket, "slowly", 1_500);
  expect(bytes.length).toBeLessThanOrEqual((performance.now() - began) / 1_000);
  expect(isOpen).toBe(true);
});

it.each(CUTS)("the proxy counts the connections that %s hits, and 0 without connections", async (how) => {
  const { proxy, dial } = await behindProxy();
  proxy.break(how);
  proxy.mend();
  expect(proxy.hits).toBe(0);
  const socket = await dial();
  await returned(socket, "hello");
  proxy.break(how);
  socket.write("港港");
  await expect.poll(() => proxy.hits).toBe(1);
  proxy.mend();
});

it("the proxy counts backpressure from a slow reader", async () => {
  const { proxy, dial } = await behindProxy();
  const socket = await dial();
  socket.pause();
  socket.write(Buffer.alloc(30_000_000));
  await expect.poll(() => proxy.holds, { timeout: 60_000 }).toBeGreaterThan(0);
});

it.each(CUTS.filter((how): how is Exclude<Cut, "reset"> => how !== "reset"))(
  "after %s is mended, new connections work and affected ones are closed",
  async (how) => {
    const { proxy, dial } = await behindProxy();
    const spoiled = await dial();
    proxy.break(how);
    spoiled.write("港港");
    await expect.poll(() => spoiled.destroyed || how !== "mid-character").toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 100));
    proxy.mend();
    await expect.poll(() => spoiled.destroyed).toBe(true);
    expect((await returned(await dial(), "well")).bytes.toString()).toBe("well");
  },
);
