import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { atMost, type Bar, median, print, progress, round } from "../report/bars.ts";
import { longSession } from "../sessions/long-session.ts";
import type { WebBenchmark } from "./web-benchmark.ts";

const EVENTS = 10_000;
const EXCHANGES = EVENTS / 100;

/** From navigation until the last answer of a session of 10,000 events is painted, with a cold cache and a warm one. */
export async function opening({ url, browser, rounds }: WebBenchmark): Promise<Bar[]> {
  const address = `${url}/s/${await imported(url)}`;
  const times = { cold: [] as number[], warm: [] as number[] };
  for (let n = 0; n < rounds; n++) {
    progress(`opening a session of ${EVENTS} events: round ${n + 1} of ${rounds}`);
    const context = await browser.newContext();
    const page = await context.newPage();
    times.cold.push(await readable(page, address));
    await kept(page);
    times.warm.push(await readable(page, address));
    await context.close();
  }
  const milliseconds = { cold: round(median(times.cold)), warm: round(median(times.warm)) };
  print({ opened: "session", events: EVENTS, milliseconds, all: { ...times } });
  return [
    atMost(`seconds to a readable session of ${EVENTS} events, cold`, milliseconds.cold / 1_000, 2),
    atMost(`seconds to a readable session of ${EVENTS} events, warm`, milliseconds.warm / 1_000, 1),
  ];
}

async function imported(url: string): Promise<string> {
  const content = longSession(EXCHANGES).map((event) => JSON.stringify(event));
  const response = await fetch(`${url}/api/v1/sessions/import`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ content: content.join("\n") }),
  });
  return ((await response.json()) as { session: { id: string } }).session.id;
}

/** Milliseconds since the navigation began, in the page's own time. */
async function readable(page: Page, address: string): Promise<number> {
  await page.goto("about:blank");
  await page.goto(address, { waitUntil: "commit" });
  const handle = await page.waitForFunction(
    (last) => {
      const answer = [...document.querySelectorAll(".answer-text")].at(-1);
      const box = answer?.getBoundingClientRect();
      const isThere = answer?.textContent?.includes(last) && box && box.height > 0 && box.top < innerHeight;
      // The current layout is painted with this frame.
      return isThere ? performance.now() : 0;
    },
    `word-${EXCHANGES - 1}-95`,
  );
  return await handle.jsonValue();
}

/** Resolves when the session is in the browser's database. */
async function kept(page: Page): Promise<void> {
  const hasSession = async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open("parley");
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const count = await new Promise<number>((resolve) => {
      const request = database.transaction("sessions").objectStore("sessions").count();
      request.onsuccess = () => resolve(request.result);
    });
    database.close();
    return count > 0;
  };
  // `waitForFunction` treats any promise as true.
  while (!(await page.evaluate(hasSession))) await sleep(50);
}
