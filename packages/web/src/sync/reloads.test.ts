import { isGapless, linesIn } from "@parley/testing/story.ts";
import { describe, expect, it } from "vitest";
import { answered, ask, lastAnswer, saidSoFar, say } from "../testing/asking.ts";
import { recordedAnswer, unspaced } from "../testing/recorded-answer.ts";
import { READ, STORY_TELLING, stopped } from "../testing/story-telling.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture(STORY_TELLING);

const STORIES = 2;
const RELOADS_OF_EACH = 10;

describe("a page that is reloaded", { timeout: 180_000 }, () => {
  it("loses and repeats nothing of an answer, at 20 random moments of its stream (S4.12, S4.13)", async () => {
    for (let story = 0; story < STORIES; story++) {
      const page = await fixture().newPage();
      await ask(page, fixture().url, READ);
      const moments: number[] = [];
      while (moments.length < RELOADS_OF_EACH) {
        const next = (moments.at(-1) ?? 0) + 1 + Math.floor(Math.random() * 10);
        await saidSoFar(page, `Line ${next} of`);
        const lines = linesIn((await lastAnswer(page).textContent()) ?? "");
        expect([moments, lines, isGapless(lines)]).toEqual([moments, lines, true]);
        expect([moments, await page.locator(".run[aria-busy=true]").count()]).toEqual([moments, 1]);
        moments.push(lines.length);
        await page.reload();
      }
      await saidSoFar(page, `Line ${(moments.at(-1) ?? 0) + 1} of`);
      await stopped(page);
      expect(unspaced(await answered(page))).toBe(unspaced(await recordedAnswer(page)));
      expect(isGapless(linesIn(await recordedAnswer(page)))).toBe(true);
      expect(await page.locator(".user-message").count()).toBe(1);
    }
  });

  it("keeps each unsent draft in its conversation (S4.12)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 6 times 7?");
    await answered(page);
    const conversation = page.url();
    await page.getByRole("textbox").pressSequentially("What is 6");
    await page.reload();
    const field = page.getByRole("textbox");
    await expect.poll(() => field.inputValue()).toBe("What is 6");
    await page.goto(`${fixture().url}/s/`);
    expect(await field.inputValue()).toBe("");
    await field.pressSequentially("Another");
    await page.goto(conversation);
    await expect.poll(() => field.inputValue()).toBe("What is 6");
    await field.pressSequentially(" times 8?");
    await page.keyboard.press("Enter");
    await page.reload();
    await page.locator(".user-message").nth(1).waitFor();
    await page.locator(".run").nth(1).locator(".run-foot").waitFor();
    expect(await field.inputValue()).toBe("");
  });

  it("still has the next message in its queue, and sends it once when the answer is done (invariant 19)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, READ);
    await saidSoFar(page, "Line 1 of");
    await say(page, "What is 6 times 7?");
    await page.locator(".outbox").getByText("What is 6 times 7?").waitFor();
    await page.reload();
    await page.locator(".outbox").getByText("What is 6 times 7?").waitFor();
    await saidSoFar(page, "Line 9 of");
    expect(await page.locator(".user-message").count()).toBe(1);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".user-message").nth(1).waitFor();
    await page.locator(".run").nth(1).locator(".answer-text").getByText("42").waitFor();
    await expect.poll(() => page.locator(".outbox").count()).toBe(0);
    expect(await page.locator(".user-message").count()).toBe(2);
  });

  it("logs no errors", () => expect(fixture().troubles).toEqual([]));
});
