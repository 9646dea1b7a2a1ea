import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { answered, ask, saidSoFar } from "../testing/asking.ts";
import { recordedRequests } from "../testing/recorded-answer.ts";
import { READ, STORY_TELLING } from "../testing/story-telling.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture(STORY_TELLING);

/** When a page is reloaded, counted from the key that sends: by microtasks, or by milliseconds. */
interface Moment {
  readonly microtasks?: number;
  readonly milliseconds?: number;
  /** The reload is asked for first. */
  readonly isBefore?: true;
}

const MOMENTS: readonly Moment[] = [
  { isBefore: true },
  { microtasks: 0 },
  ...[1, 2, 5, 20].map((microtasks) => ({ microtasks })),
  ...[0, 1, 5, 20, 50].map((milliseconds) => ({ milliseconds })),
];

/** Presses Enter and reloads, so shortly one after the other as only the page itself can; resolves when it is there again. */
async function sentAndReloaded(page: Page, text: string, moment: Moment): Promise<void> {
  await page.getByRole("textbox").fill(text);
  const loaded = page.waitForEvent("load");
  const acted = page.evaluate(({ microtasks, milliseconds, isBefore }) => {
    const reload = (after: number): void =>
      after === 0 ? location.reload() : queueMicrotask(() => reload(after - 1));
    if (isBefore) location.reload();
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    if (microtasks !== undefined) reload(microtasks);
    if (milliseconds !== undefined) setTimeout(() => location.reload(), milliseconds);
  }, moment);
  // The page may be gone before it can say that it has done so.
  await Promise.all([loaded, acted.catch(() => undefined)]);
}

const question = (at: number) => `What is ${at} plus 100?`;

describe("a message sent at the moment of a reload exists once, and not as a draft too (S4.12, invariant 19)", {
  timeout: 240_000,
}, () => {
  it("in a new conversation", async () => {
    const page = await fixture().newPage();
    const field = page.getByRole("textbox");
    for (const [at, moment] of MOMENTS.entries()) {
      await page.goto(`${fixture().url}/s/`);
      await expect.poll(() => field.inputValue()).toBe("");
      await sentAndReloaded(page, question(at), moment);
      // It goes by its first words at once.
      const link = page.getByRole("navigation").getByRole("link", { name: question(at) });
      await link.waitFor();
      expect([moment, await field.inputValue()]).toEqual([moment, ""]);
      await link.click();
      await page.locator(".run-foot").waitFor();
      expect(await page.locator(".user-text").allTextContents()).toEqual([question(at)]);
      expect(await recordedRequests(page)).toEqual([question(at)]);
    }
    const names = await page.locator(".session-link").allTextContents();
    expect(names.toSorted()).toEqual(MOMENTS.map((_, at) => question(at)).toSorted());
  });

  it("in an existing conversation", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 1 plus 1?");
    await answered(page);
    const said = ["What is 1 plus 1?"];
    for (const [at, moment] of MOMENTS.entries()) {
      await sentAndReloaded(page, question(at), moment);
      said.push(question(at));
      await page
        .locator(".run")
        .nth(said.length - 1)
        .locator(".run-foot")
        .waitFor();
      expect([moment, await page.getByRole("textbox").inputValue()]).toEqual([moment, ""]);
      expect(await recordedRequests(page)).toEqual(said);
    }
    expect(await page.locator(".user-text").allTextContents()).toEqual(said);
  });

  it("while it waits for the end of an answer", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, READ);
    await saidSoFar(page, "Line 1 of");
    const waiting: string[] = [];
    for (const moment of MOMENTS.filter((_, at) => at % 3 === 1)) {
      const text = question(waiting.length);
      await sentAndReloaded(page, text, moment);
      waiting.push(text);
      await expect.poll(() => page.locator(".outbox-text").allTextContents()).toEqual(waiting);
      expect([moment, await page.getByRole("textbox").inputValue()]).toEqual([moment, ""]);
      await page.locator(".run[aria-busy=true]").waitFor();
    }
    await page.getByRole("button", { name: "Stop" }).click();
    await expect.poll(() => recordedRequests(page), { timeout: 60_000 }).toEqual([READ, ...waiting]);
    await expect.poll(() => page.locator(".outbox").count()).toBe(0);
    expect(await page.locator(".user-text").allTextContents()).toEqual([READ, ...waiting]);
  });

  it("without page errors", () => expect(fixture().troubles).toEqual([]));
});
