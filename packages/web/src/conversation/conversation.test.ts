import { isGapless, linesIn } from "@parley/testing/story.ts";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask, lastAnswer, saidSoFar, say } from "../testing/asking.ts";
import {
  CHAPTER_LINES,
  READ_CHAPTER,
  READ_SHORT,
  SHORT_LINES,
  STORY_TELLING,
} from "../testing/story-telling.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({ ...STORY_TELLING, agents: ["argocd", "calculator", "files"] });

/** Whether a text tells the whole story of so many lines, once. */
function isWhole(text: string, length: number): boolean {
  const lines = linesIn(text);
  return isGapless(lines) && lines.length === length;
}

describe("a conversation", { timeout: 180_000 }, () => {
  it("starts on the first visit, and shows plan, agent, tool and answer as they arrive (S0.19, +6, +9)", async () => {
    const page = await fixture().newPage();
    await page.goto(fixture().url);
    expect(new URL(page.url()).pathname).toBe("/s/");
    await say(page, "show argocd version");
    expect(await answered(page)).toContain("v3.1.8");
    expect(new URL(page.url()).pathname).toMatch(/^\/s\/ses_\w+$/);
    await page.getByText("1 agent · 1 tool call").click();
    await page.locator(".plan li").getByText("show argocd version").waitFor();
    await page.locator(".call-name").getByText("argocd", { exact: true }).waitFor();
    await page.locator(".call.inner > summary").click();
    await page.locator(".call.inner").getByText("GitCommit").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("navigation").getByRole("link", { name: "show argocd version" }).waitFor();
    await expect.poll(() => page.title()).toBe("show argocd version · Parley");
  });

  it("shows parallel agents side by side", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is the version of Argo CD, and what is 6 times 7?");
    expect(await answered(page)).toMatch(/v3\.1\.8.*42/);
    await page.getByText("2 agents").click();
    const lanes = page.locator(".lane");
    await lanes.nth(1).waitFor();
    const [one, other] = [await lanes.nth(0).boundingBox(), await lanes.nth(1).boundingBox()];
    expect(one?.y).toBe(other?.y);
    expect(one?.x).toBeLessThan(other?.x ?? 0);
    await lanes.nth(1).locator(".lane-text").getByText("42").waitFor();
  });

  it("continues after a reload in mid-answer without losing or repeating text (S4.12, S4.13)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, READ_SHORT);
    await saidSoFar(page, "Line 3 of");
    await page.reload();
    expect(isWhole(await answered(page), SHORT_LINES)).toBe(true);
    expect(await page.locator(".user-message").count()).toBe(1);
  });

  it("stops on request, shows that, and keeps the text; Retry starts over in a fork", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, READ_CHAPTER);
    await saidSoFar(page, "Line 2 of");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".ending").getByText("Stopped").waitFor();
    expect(await lastAnswer(page).textContent()).toContain("Line 2 of");
    const stopped = page.url();
    await page.getByRole("button", { name: "Retry" }).click();
    await page.waitForURL((url) => url.href !== stopped);
    expect(isWhole(await answered(page), CHAPTER_LINES)).toBe(true);
  });

  it("queues messages until the answer is done", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, READ_CHAPTER);
    await saidSoFar(page, "Line 1 of");
    await say(page, "What is 6 times 7?");
    await page.locator(".outbox").getByText("What is 6 times 7?").waitFor();
    await page.locator(".user-message").nth(1).waitFor();
    await expect.poll(() => page.locator(".outbox").count()).toBe(0);
    await page.locator(".run").nth(1).locator(".answer-text").getByText("42").waitFor();
  });

  it("never scrolls a reader who scrolled up, and offers a way back to the latest message", async () => {
    const page = await fixture().newPage({ viewport: { width: 900, height: 420 } });
    await ask(page, fixture().url, READ_CHAPTER);
    await saidSoFar(page, "Line 30 of");
    const place = () => page.locator(".scroller").evaluate((each) => each.scrollTop);
    const isAtEnd = () =>
      page
        .locator(".scroller")
        .evaluate((each) => each.scrollHeight - each.scrollTop - each.clientHeight < 2);
    await expect.poll(isAtEnd).toBe(true);
    const bottom = await place();
    await page.locator(".scroller").hover();
    await page.mouse.wheel(0, -300);
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    // The wheel has come to rest.
    let before = bottom;
    const isAtRest = async () => {
      const last = before;
      before = await place();
      return before === last;
    };
    await expect.poll(isAtRest).toBe(true);
    await saidSoFar(page, "Line 75 of");
    expect(await place()).toBe(before);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await answered(page);
    await expect.poll(isAtEnd).toBe(true);
  });

  it("redraws only the growing block while text streams", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 15% of 80?");
    await answered(page);
    await say(page, READ_CHAPTER);
    await saidSoFar(page, "Line 2 of");
    const touched = await page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const seen = new Set<string>();
          const timeline = document.querySelector(".timeline") as Element;
          new MutationObserver((records, observer) => {
            for (const { target } of records) {
              const element = target instanceof Element ? target : target.parentElement;
              seen.add(
                element?.closest(".answer-text, .phase-line, .call-line, .run")?.className ?? "elsewhere",
              );
            }
            if (!timeline.textContent?.includes("Line 30 of")) return;
            observer.disconnect();
            resolve([...seen]);
          }).observe(timeline, { subtree: true, childList: true, characterData: true });
        }),
    );
    // The lines in which seconds are counted may change too.
    const others = touched.filter((name) => !/answer-text|phase-line|call-line/.test(name));
    expect(others).toEqual([]);
    expect(touched.some((name) => name.includes("answer-text"))).toBe(true);
  });

  it("asks for approval where required, and continues after the answer (+7)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "Sync checkout");
    const card = page.locator(".approval");
    await card.getByText('"name": "checkout"').waitFor();
    await page.locator(".phase", { hasText: "Waiting for you" }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await card.getByRole("button", { name: "Deny" }).click();
    await card.getByText("You denied this").waitFor();
    await answered(page);
  });

  it("logs no page errors", () => {
    expect(fixture().troubles).toEqual([]);
  });
});
