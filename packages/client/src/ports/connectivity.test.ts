import { expect, it } from "vitest";
import { browserConnectivity, whenOnline } from "./connectivity.ts";

class Window extends EventTarget {
  readonly navigator = { onLine: true };
  turn(isOnline: boolean): void {
    this.navigator.onLine = isOnline;
    this.dispatchEvent(new Event(isOnline ? "online" : "offline"));
  }
}

it("follows what a browser's window says, until it is asked not to", () => {
  const window = new Window();
  const connectivity = browserConnectivity(window);
  const told: boolean[] = [];
  const unsubscribe = connectivity.subscribe((isOnline) => told.push(isOnline));
  window.turn(false);
  window.turn(true);
  unsubscribe();
  window.turn(false);
  expect(told).toEqual([false, true]);
  expect(connectivity.isOnline).toBe(false);
});

it("waits for the network no longer than anybody wants it", async () => {
  const window = new Window();
  const connectivity = browserConnectivity(window);
  window.turn(false);
  const stop = new AbortController();
  const waits = [
    whenOnline(connectivity, stop.signal),
    whenOnline(connectivity, new AbortController().signal),
  ];
  stop.abort();
  await waits[0];
  window.turn(true);
  await waits[1];
});
