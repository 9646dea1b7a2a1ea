import { once } from "node:events";
import { expect, it } from "vitest";
import { ProcessTransport } from "./process-transport.ts";
import { scripted } from "./testing/running-servers.ts";

it("ProcessTransport reports why a program exited, even if its stdin was closed before a write", async () => {
  const heard = new EventTarget();
  const transport = new ProcessTransport(scripted("deaf", "no licence"), {
    onLogLine: (line) => void heard.dispatchEvent(new Event(line)),
    onNoise: () => {},
  });
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  const deaf = once(heard, "deaf");
  await transport.start();
  await deaf;
  await transport.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  await closed;
  expect(transport.trouble).toMatch(/exit code 7; its last words were: no licence/);
});
