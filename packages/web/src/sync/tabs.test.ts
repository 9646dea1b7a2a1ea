import { isGapless, linesIn } from "@parley/testing/story.ts";
import type { BrowserContext, Page, Request } from "playwright-core";
import { describe, expect, it } from "vitest";
import { answered, ask, lastAnswer, saidSoFar, say } from "../testing/asking.ts";
import { recordedAnswer, unspaced } from "../testing/recorded-answer.ts";
import { READ, STORY_TELLING, stopped } from "../testing/story-telling.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture(STORY_TELLING);

/** The tabs of a profile that have a connection to the server's events now. */
function listeners(context: BrowserContext): () => Page[] {
  const open = new Map<Request, Page>();
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/v1/events") open.set(request, request.frame().page());
  });
  for (const end of ["requestfinished", "requestfailed"] as const)
    context.on(end as "requestfinished", (request) => open.delete(request));
  return () => [...open.values()].filter((page) => !page.isClosed());
}

describe("several tabs", { timeout: 180_000 }, () => {
  it.each([2, 8])(
    "agree, %i of them, and share one connection to the server's events (S4.19)",
    async (count) => {
      const first = await fixture().newPage();
      const listening = listeners(first.context());
      await ask(first, fixture().url, READ);
      await saidSoFar(first, "Line 1 of");
      const tabs = [first];
      for (let at = 1; at < count; at++) {
        const tab = await fixture().newTab(first);
        await tab.goto(first.url());
        tabs.push(tab);
      }
      for (const tab of tabs) await saidSoFar(tab, `Line ${count * 5} of`);
      await expect.poll(listening).toHaveLength(1);
      // What is done in one is done in all.
      const last = tabs.at(-1) ?? first;
      await stopped(last);
      const shown = await Promise.all(tabs.map(async (tab) => unspaced(await answered(tab))));
      expect(new Set(shown)).toEqual(new Set([unspaced(await recordedAnswer(first))]));
      // A message in one tab appears in all, and each can still send: none waits for another's connection.
      await say(last, "What is 6 times 7?");
      await Promise.all(tabs.map((tab) => tab.locator(".run").nth(1).locator(".run-foot").waitFor()));
      expect(await Promise.all(tabs.map((tab) => tab.locator(".user-message").count()))).toEqual(
        tabs.map(() => 2),
      );
      await expect.poll(listening).toHaveLength(1);
      await first.context().close();
    },
  );

  it("continue when the tab with the connection is closed in mid-answer (S4.19)", async () => {
    const first = await fixture().newPage();
    const listening = listeners(first.context());
    await ask(first, fixture().url, READ);
    await saidSoFar(first, "Line 1 of");
    const second = await fixture().newTab(first);
    await second.goto(first.url());
    await saidSoFar(second, "Line 5 of");
    // What the first has queued is then for the second to send.
    await say(first, "What is 6 times 7?");
    await second.locator(".outbox").getByText("What is 6 times 7?").waitFor();
    await expect.poll(() => listening().map((page) => page === first)).toEqual([true]);
    await first.close();
    const reached = linesIn((await lastAnswer(second).textContent()) ?? "").length;
    await saidSoFar(second, `Line ${reached + 20} of`);
    await expect.poll(() => listening().map((page) => page === second)).toEqual([true]);
    expect(isGapless(linesIn((await lastAnswer(second).textContent()) ?? ""))).toBe(true);
    await second.getByRole("button", { name: "Stop" }).click();
    await second.locator(".run").nth(1).locator(".answer-text").getByText("42").waitFor();
    expect(await second.locator(".user-message").count()).toBe(2);
  });

  it("log no errors", () => expect(fixture().troubles).toEqual([]));
});
