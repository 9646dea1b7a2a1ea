import type { Locator, Page } from "playwright-core";

/** What a file can hold so that an answer about it has many events. */
export const LONG_STORY = Array.from(
  { length: 90 },
  (_, at) => `Line ${at + 1} of the story tells what came next.`,
).join("\n");

/** Goes to the start, and says something there. */
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

/** Resolves when the run that came last has ended, with what it said, however that was laid out. */
export async function answered(page: Page): Promise<string> {
  await page.locator(".run").last().locator(".run-foot").waitFor();
  return inOneLine((await lastAnswer(page).textContent()) ?? "");
}

/** Resolves when the page has kept these words of the conversation that it shows. */
export async function kept(page: Page, words: string): Promise<void> {
  await page.waitForFunction(
    (text) =>
      new Promise<boolean>((resolve, reject) => {
        const opening = indexedDB.open("parley");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const stores = opening.result.transaction(["sessions", "events"]);
          const [records, events] = ["sessions", "events"].map((name) => stores.objectStore(name).getAll());
          stores.oncomplete = () => {
            opening.result.close();
            resolve(JSON.stringify([records?.result, events?.result]).includes(text));
          };
        };
      }),
    words,
    { polling: 100 },
  );
}

/** Resolves when the browser has kept the client itself, and it is in charge of the page after the next reload. */
export async function shellKept(page: Page): Promise<void> {
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
}

/** A text without its layout. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
