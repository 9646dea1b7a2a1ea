import { isGapless, linesIn } from "@parley/testing/story.ts";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, answerKept, ask, lastAnswer, saidSoFar, say, shellKept } from "../testing/asking.ts";
import { recordedAnswer, recordedRequests, unspaced } from "../testing/recorded-answer.ts";
import { READ_SHORT, SHORT_LINES, STORY_TELLING } from "../testing/story-telling.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture(STORY_TELLING);

describe("without a network", { timeout: 180_000 }, () => {
  it("history can be read, and messages wait visibly and are delivered once when the network is back (invariant 19)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 6 times 7?");
    await answered(page);
    await answerKept(page);
    const first = page.url();
    await ask(page, fixture().url, "What is 6 times 9?");
    await answered(page);
    await page.context().setOffline(true);
    await page.getByText("Offline", { exact: true }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "What is 6 times 7?" }).click();
    await page.waitForURL(first);
    await lastAnswer(page).getByText("42").waitFor();
    await say(page, "What is 1 plus 1?");
    await say(page, "What is 1 plus 2?");
    await page.getByText(/Offline – 2 messages waiting/).waitFor();
    await page.locator(".user-message").nth(1).getByText("Waiting for the network").waitFor();
    expect(await recordedRequests(page)).toEqual(["What is 6 times 7?"]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.context().setOffline(false);
    await expect
      .poll(() => recordedRequests(page), { timeout: 60_000 })
      .toEqual(["What is 6 times 7?", "What is 1 plus 1?", "What is 1 plus 2?"]);
    await expect.poll(() => page.locator(".message-state").count(), { timeout: 60_000 }).toBe(0);
    await expect.poll(() => page.locator(".user-message").count()).toBe(3);
  });
});

describe("an unreachable server", { timeout: 180_000 }, () => {
  it("in mid-answer leaves the received text readable, and the answer continues when it is back (S4.13)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, READ_SHORT);
    await saidSoFar(page, "Line 5 of");
    await fixture().killServer();
    await page.getByText(/Can’t reach the server – retrying/).waitFor();
    const lines = linesIn((await lastAnswer(page).textContent()) ?? "");
    expect(isGapless(lines)).toBe(true);
    expect(lines.length).toBeGreaterThanOrEqual(5);
    await fixture().startServer();
    await page.locator(".run-foot").waitFor();
    const whole = linesIn(await recordedAnswer(page));
    expect([isGapless(whole), whole.length]).toEqual([true, SHORT_LINES]);
    await expect
      .poll(async () => unspaced((await lastAnswer(page).textContent()) ?? ""))
      .toBe(unspaced(await recordedAnswer(page)));
    await expect.poll(() => page.locator(".connection-line").count()).toBe(0);
  });

  it("for an hour leaves everything readable, and messages wait and are delivered once", async () => {
    const page = await fixture().newPage();
    await page.clock.install();
    await ask(page, fixture().url, "What is 6 times 7?");
    await answered(page);
    await fixture().killServer();
    await page.getByText(/Can’t reach the server/).waitFor();
    await say(page, "What is 6 times 8?");
    for (let minutes = 0; minutes < 60; minutes += 5) await page.clock.fastForward("05:00");
    await page.getByText(/Can’t reach the server – .*1 message waiting/).waitFor();
    await lastAnswer(page).getByText("42").waitFor();
    await fixture().startServer();
    await page.clock.resume();
    await page.locator(".run").nth(1).locator(".answer-text").getByText("48").waitFor();
    expect(await recordedRequests(page)).toEqual(["What is 6 times 7?", "What is 6 times 8?"]);
  });

  it("at page load, for an hour, leaves history and drafts readable, and messages wait and are delivered once (S4.12, invariant 19)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 6 times 7?");
    await answered(page);
    await answerKept(page);
    await shellKept(page);
    await page.getByRole("textbox").pressSequentially("Half a thought");
    await fixture().killServer();
    await page.clock.install();
    await page.reload();
    await page.getByText(/Can’t reach the server – retrying/).waitFor();
    await lastAnswer(page).getByText("42").waitFor();
    const link = page.getByRole("navigation").getByRole("link", { name: "What is 6 times 7?" }).first();
    await link.waitFor();
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Half a thought");
    await say(page, "What is 6 times 8?");
    await page.locator(".user-message").nth(1).waitFor();
    for (let minutes = 0; minutes < 60; minutes += 5) await page.clock.fastForward("05:00");
    await page.reload();
    await page.getByText(/Can’t reach the server – .*1 message waiting/).waitFor();
    await page.locator(".user-message", { hasText: "What is 6 times 8?" }).waitFor();
    expect(await page.getByRole("textbox").inputValue()).toBe("");
    expect(await accessibilityViolations(page)).toEqual([]);
    // From the very start, and on screens that were not looked at before.
    await page.goto(`${fixture().url}/`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.goto(`${fixture().url}/s/settings`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await link.click();
    await page.locator(".user-message", { hasText: "What is 6 times 8?" }).waitFor();
    await fixture().startServer();
    await page.clock.resume();
    await page.locator(".run").nth(1).locator(".answer-text").getByText("48").waitFor();
    expect(await recordedRequests(page)).toEqual(["What is 6 times 7?", "What is 6 times 8?"]);
    await expect.poll(() => page.locator(".connection-line").count()).toBe(0);
  });

  it("is not replaced by cached data once it is back, and its API responses are not cached", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/`);
    await shellKept(page);
    await page.reload();
    const policy = await page.evaluate(async () =>
      (await fetch("/s/")).headers.get("content-security-policy"),
    );
    expect(policy).toContain("script-src 'self'");
    const paths = await page.evaluate(async () => {
      const names = await caches.keys();
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return all.flat().map(({ url }) => new URL(url).pathname);
    });
    expect(paths.filter((path) => path !== "/s/" && !path.startsWith("/s/assets/"))).toEqual([]);
    expect(paths.length).toBeGreaterThan(10);
  });

  it("that comes back empty is detected and reported in every tab (S4.13)", async () => {
    const page = await fixture().newPage();
    for (const text of ["What is 6 times 7?", "What is 6 times 8?"]) {
      await ask(page, fixture().url, text);
      await answered(page);
    }
    const other = await fixture().newTab(page);
    await other.goto(page.url());
    await answered(other);
    await fixture().resetServer();
    for (const tab of [page, other]) {
      await tab.getByText(/The server was reset/).waitFor();
      await tab.getByText("Conversation not found").waitFor();
      const link = tab.getByRole("navigation").getByRole("link", { name: "What is 6 times 7?" });
      await link.waitFor({ state: "detached" });
    }
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByText(/The server was reset/).waitFor({ state: "detached" });
    // And it works on.
    await ask(page, fixture().url, "What is 6 times 7?");
    await answered(page);
  });

  it("that comes back as another server with more events is detected too, without losing unsent data (S4.13)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 6 times 7?");
    await answered(page);
    await shellKept(page);
    const old = page.url();
    await fixture().killServer();
    await page.getByText(/Can’t reach the server/).waitFor();
    await say(page, "What is 7 times 11?");
    await page.getByRole("textbox").pressSequentially("Half a thought");
    await page.goto("about:blank");
    await fixture().resetServer();
    // Somebody else makes more of it than there was.
    const other = await fixture().newPage();
    for (const text of ["What is 1 plus 1?", "What is 1 plus 2?", "What is 1 plus 3?"]) {
      await ask(other, fixture().url, text);
      await answered(other);
    }
    await page.goto(old);
    await page.getByText(/The server was reset/).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "What is 1 plus 3?" }).waitFor();
    const gone = page.getByRole("navigation").getByRole("link", { name: "What is 6 times 7?" });
    await gone.waitFor({ state: "detached" });
    await page.getByText("Conversation not found").waitFor();
    await page.getByText(/Not delivered .*“What is 7 times 11\?”/).waitFor();
    const unsent = page.locator(".unsent");
    await unsent.getByText("Half a thought").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await unsent.getByRole("button", { name: "Send in a new conversation" }).click();
    await lastAnswer(page).getByText("77").waitFor();
    await expect.poll(() => page.locator(".user-text").allTextContents()).toEqual(["What is 7 times 11?"]);
    await page.goto(old);
    await unsent.getByRole("button", { name: "Continue in a new" }).click();
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Half a thought");
  });
});
