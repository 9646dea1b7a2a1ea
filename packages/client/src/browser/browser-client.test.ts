import "fake-indexeddb/auto";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../testing/small-client.ts";
import { SmallServer } from "../testing/small-server.ts";
import { startBrowserClient } from "./browser-client.ts";

/** A window of a browser, as far as the client knows one. */
class SmallWindow extends EventTarget {
  readonly navigator = { onLine: true, locks: navigator.locks };
}

it("is one client with the other pages, and keeps what is written when a page is hidden (S4.12, S4.19)", async () => {
  const server = await SmallServer.start();
  onTestFinished(() => server.stop());
  const [one, two] = [new SmallWindow(), new SmallWindow()];
  const first = await startBrowserClient({ baseUrl: server.url, window: one, name: "pages" });
  const second = await startBrowserClient({ baseUrl: server.url, window: two, name: "pages" });
  onTestFinished(() => Promise.all([first.stop(), second.stop()]).then(() => {}));
  expect(first.engine.state.keeping).toEqual({ name: "lasting" });
  const id = second.engine.create({ title: "Here" });
  await until(first.engine, ({ list }) => list.sessions[id]?.title === "Here");
  expect(server.feeds.size).toBe(1);
  second.engine.saveUiState(id, { draft: "And" });
  two.dispatchEvent(new Event("pagehide"));
  await expect.poll(() => first.engine.loadUiState(id)).toEqual({ draft: "And" });
});
