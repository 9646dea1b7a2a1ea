import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** What a file can hold so that an answer about it has many events. */
export const LONG_STORY = Array.from(
  { length: 90 },
  (_, at) => `Line ${at + 1} of the story tells what came next.`,
).join("\n");

/** Opens the start page, and sends a message there. */
export async function ask(page: Page, url: string, text: string): Promise<void> {
  await page.goto(`${url}/`);
  await say(page, text);
}

/** Says something in the conversation that is open. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox").fill(text);
  await page.keyboard.press("Enter");
}

/** The answer that came last. */
export function lastAnswer(page: Page): Locator {
  return page.locator(".run > .answer-text").last();
}

/** Resolves when the last answer has come so far. */
export async function saidSoFar(page: Page, words: string): Promise<void> {
  await lastAnswer(page).filter({ hasText: words }).waitFor();
}

/** Resolves with the text of the last run when it has ended. */
export async function answered(page: Page): Promise<string> {
  await page.locator(".run").last().locator(".run-foot").waitFor();
  return inOneLine(await drawnText(lastAnswer(page)));
}

/** The text of an answer that has ended. A long one is drawn over several frames: it is whole when a frame adds nothing. */
function drawnText(answer: Locator): Promise<string> {
  return answer.evaluate(async (element) => {
    const nextFrame = () => new Promise(requestAnimationFrame);
    for (;;) {
      const before = element.textContent ?? "";
      await nextFrame();
      await nextFrame();
      if (element.textContent === before) return before;
    }
  });
}

/** Resolves when the browser's database has an answer of the conversation that the page shows, to its end. */
export async function answerKept(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(hasKeptAnswer), { timeout: 60_000 }).toBe(true);
}

/** Runs in the page. */
function hasKeptAnswer(): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const sessionId = location.pathname.split("/").at(-1) ?? "";
    const opening = indexedDB.open("parley");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const stores = opening.result.transaction(["sessions", "events"]);
      const record = stores.objectStore("sessions").get(sessionId);
      const events = stores.objectStore("events").index("sessionId").getAll(sessionId);
      stores.oncomplete = () => {
        opening.result.close();
        const { runs = {} } = JSON.parse(record.result ?? "{}");
        const hasEnd = events.result.some(({ text }) => text.includes('"agent_complete"'));
        resolve(hasEnd || Object.keys(runs).length > 0);
      };
    };
  });
}

/** Resolves when the browser has kept the client itself, and it is in charge of the page after the next reload. */
export async function shellKept(page: Page): Promise<void> {
  // `waitForFunction` takes a promise for true as soon as there is one.
  const stateOf = async () => (await navigator.serviceWorker.ready).active?.state;
  await expect.poll(() => page.evaluate(stateOf), { timeout: 60_000 }).toBe("activated");
}

/** A text without its layout. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
