import { patient } from "@parley/testing/patient.ts";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { exchange, importedSession } from "../testing/imported-session.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({ agents: ["calculator"] });
const EXCHANGES = 100;
const EVENTS_EACH = 97;

/** 200 messages, 10,000 events: answers of every length, with code and lists. */
function longSession(): Promise<string> {
  const events = Array.from({ length: EXCHANGES }, (_, at) => {
    const artifactId = `text-${at}`;
    const pieces = Array.from({ length: EVENTS_EACH }, (_, piece) => `Word ${piece} of answer ${at}. `);
    const lines = Array.from({ length: (at % 9) + 1 }, (_, line) => `- point ${line} of ${at}`).join("\n");
    const answer = `# Answer ${at}\n\n${lines}\n\n\`\`\`js\nconst answer = ${at};\n\`\`\`\n\n${pieces.join("")}`;
    const work = pieces.map((text) => ({ type: "agent_token", payload: { artifactId, text } }));
    return exchange(at, { answer, work });
  });
  return importedSession(fixture().url, events.flat());
}

const place = (page: Page) =>
  page.locator(".scroller").evaluate((each) => ({
    top: each.scrollTop,
    left: each.scrollHeight - each.scrollTop - each.clientHeight,
  }));
const atEnd = (page: Page) =>
  expect.poll(async () => (await place(page)).left, { timeout: 60_000 }).toBeLessThan(3);
/** Where an answer is on the screen. */
const placeOf = (page: Page, text: string) =>
  page
    .locator(".timeline-item")
    .filter({ hasText: text })
    .first()
    .evaluate((each) => Math.round(each.getBoundingClientRect().top));

describe("a session of 10,000 events", { timeout: 180_000 }, () => {
  it("opens at its end quickly, renders nearby items and keeps all text for the browser's own search", async () => {
    const page = await fixture().newPage();
    const url = await longSession();
    await page.goto(`${fixture().url}/s/`);
    const began = Date.now();
    await page.goto(url);
    await page.getByText("Answer 99", { exact: true }).waitFor();
    expect(Date.now() - began).toBeLessThan(patient(4_000));
    await atEnd(page);
    expect(await page.locator(".timeline-item").count()).toBe(2 * EXCHANGES);
    expect(await page.locator(".run").count()).toBeLessThan(20);
    expect(await page.locator('[role="log"]').textContent()).toContain("point 0 of 3");
    expect(await accessibilityViolations(page)).toEqual([]);
    // Wherever the page's search leads to, it is drawn when it is reached.
    await page
      .locator(".far")
      .filter({ hasText: "Answer 40" })
      .evaluate((each) => each.scrollIntoView());
    await page.getByRole("heading", { name: "Answer 40" }).waitFor();
  });

  it("never moves the visible content while it renders, and offers a way back to the latest message", async () => {
    const page = await fixture().newPage();
    await page.goto(await longSession());
    await page.getByText("Answer 99", { exact: true }).waitFor();
    await atEnd(page);
    await page.locator(".scroller").hover();
    // Upwards step by step: whatever was in view is, after each, just as far down as the wheel was turned.
    for (let step = 0; step < 25; step++) {
      const seen = await page.evaluate(() => {
        const items = [...document.querySelectorAll(".timeline-item")];
        const at = items.findIndex((each) => each.getBoundingClientRect().bottom > 200);
        return { at, top: items[at]?.getBoundingClientRect().top ?? 0 };
      });
      await page.mouse.wheel(0, -400);
      await expect
        .poll(
          () =>
            page.evaluate((at) => {
              const item = document.querySelectorAll(".timeline-item")[at];
              return item?.getBoundingClientRect().top ?? 0;
            }, seen.at),
          { timeout: 60_000 },
        )
        .toBeCloseTo(seen.top + 400, -1);
    }
    const before = await placeOf(page, "Answer 90");
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => resolve(true))));
    expect(await placeOf(page, "Answer 90")).toBe(before);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await atEnd(page);
    await page.getByRole("heading", { name: "Answer 99" }).waitFor();
  });

  it("keeps expanded items expanded, however far they scroll away", async () => {
    const page = await fixture().newPage();
    await page.goto(await longSession());
    await page.getByText("Answer 99", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Trace" }).last().focus();
    await page.locator(".scroller").evaluate((each) => each.scrollTo({ top: 0 }));
    await page.getByRole("heading", { name: "Answer 0" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Trace");
  });

  it("logs no page errors", () => {
    expect(fixture().troubles).toEqual([]);
  });
});
