import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { answered, ask, saidSoFar, say } from "../testing/asking.ts";
import { recordedRequests } from "../testing/recorded-answer.ts";
import { READ, STORY_TELLING } from "../testing/story-telling.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture(STORY_TELLING);

/**
 * Makes every write of commands and drafts wait, as a slow disk does, until the returned function is called. A page that goes
 * away meanwhile takes its writes with it: the browser aborts the transactions of a page that is no more.
 */
async function busyDatabase(page: Page): Promise<() => Promise<void>> {
  const holder = await page.context().newPage();
  await holder.route("**/s/holder", (route) =>
    route.fulfill({ body: "<!doctype html>", contentType: "text/html" }),
  );
  await holder.goto(`${fixture().url}/s/holder`);
  await holder.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open("parley");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const store = opening.result.transaction(["commands", "bags"], "readwrite").objectStore("commands");
          // A transaction lasts as long as something is asked of it.
          const hold = () => {
            store.count().onsuccess = hold;
            resolve();
          };
          hold();
        };
      }),
  );
  return () => holder.close();
}

describe("a page closed while the database is busy", { timeout: 180_000 }, () => {
  const NEXT = "What is 6 times 7?";

  it("still has the next message in its queue, and sends it once (invariant 19)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, READ);
    await saidSoFar(page, "Line 1 of");
    const release = await busyDatabase(page);
    await say(page, NEXT);
    await page.locator(".outbox").getByText(NEXT).waitFor();
    await page.reload();
    await release();
    await page.locator(".outbox").getByText(NEXT).waitFor();
    expect(await page.getByRole("textbox").inputValue()).toBe("");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".run").nth(1).locator(".run-foot").waitFor();
    expect(await page.locator(".user-text").allTextContents()).toEqual([READ, NEXT]);
    expect(await recordedRequests(page)).toEqual([READ, NEXT]);
  });

  it("does not send a withdrawn message", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, READ);
    await saidSoFar(page, "Line 1 of");
    await say(page, NEXT);
    await page.locator(".outbox").getByText(NEXT).waitFor();
    await page.reload();
    await page.locator(".outbox").getByText(NEXT).waitFor();
    const release = await busyDatabase(page);
    await page.locator(".outbox").getByRole("button", { name: "Remove" }).click();
    await page.locator(".outbox").waitFor({ state: "detached" });
    await page.reload();
    await release();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".run-foot").waitFor();
    await say(page, "What is 6 times 8?");
    await page.locator(".run").nth(1).locator(".run-foot").waitFor();
    expect(await recordedRequests(page)).toEqual([READ, "What is 6 times 8?"]);
  });

  it("sends the last message, in an existing and in a new conversation (S4.12)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 1 plus 1?");
    await answered(page);
    const releaseFirst = await busyDatabase(page);
    await say(page, NEXT);
    await page.locator(".user-message").nth(1).waitFor();
    await page.reload();
    await releaseFirst();
    await page.locator(".run").nth(1).locator(".run-foot").waitFor();
    expect(await recordedRequests(page)).toEqual(["What is 1 plus 1?", NEXT]);
    await page.goto(`${fixture().url}/s/`);
    const releaseSecond = await busyDatabase(page);
    await say(page, "What is 2 plus 2?");
    await page.locator(".user-message").waitFor();
    await page.reload();
    await releaseSecond();
    await page.locator(".run-foot").waitFor();
    expect(await recordedRequests(page)).toEqual(["What is 2 plus 2?"]);
  });

  it("leaves the draft and the queued message to the next tab", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, READ);
    await saidSoFar(page, "Line 1 of");
    const url = page.url();
    const release = await busyDatabase(page);
    await say(page, NEXT);
    await page.locator(".outbox").getByText(NEXT).waitFor();
    await page.getByRole("textbox").pressSequentially("Half a thought");
    const other = await fixture().newTab(page);
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => page.isClosed()).toBe(true);
    await release();
    await other.goto(url);
    await other.locator(".outbox").getByText(NEXT).waitFor();
    await expect.poll(() => other.getByRole("textbox").inputValue()).toBe("Half a thought");
    await other.getByRole("button", { name: "Stop" }).click();
    await other.locator(".run").nth(1).locator(".run-foot").waitFor();
    expect(await recordedRequests(other)).toEqual([READ, NEXT]);
  });

  it("logs no errors", () => expect(fixture().troubles).toEqual([]));
});
