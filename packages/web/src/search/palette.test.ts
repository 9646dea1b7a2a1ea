import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask, LONG_STORY, say } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({ agents: ["calculator", "files"], files: { "story.txt": LONG_STORY } });
const field = (page: Page) => page.getByRole("combobox", { name: "Search and commands" });
const chosen = (page: Page) => page.locator('[role=option][aria-selected="true"]');

describe("the palette", { timeout: 180_000 }, () => {
  it("finds a message while typing, highlights the words, and opens the conversation there (S4.1–2, +9)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 6 times 7?");
    await answered(page);
    await say(page, "What is in story.txt?");
    await page.locator(".run").nth(1).locator(".run-foot").waitFor();
    const conversation = new URL(page.url()).pathname;
    await page.goto(`${fixture().url}/s/settings`);
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.keyboard.press("Control+k");
    await field(page).pressSequentially("6 tim");
    await page.locator(".palette-excerpt mark", { hasText: "tim" }).first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("group", { name: "Messages" }).getByRole("option").first().waitFor();
    while (!(await chosen(page).locator(".palette-excerpt").count())) await page.keyboard.press("ArrowDown");
    const id = await chosen(page).getAttribute("id");
    expect(await field(page).getAttribute("aria-activedescendant")).toBe(id);
    // It is marked for a moment only.
    const isFound = page.waitForFunction(() => document.activeElement?.matches(".found"));
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === conversation && url.searchParams.has("message"));
    await isFound;
    const isInView = () => {
      const box = document.querySelector("[data-message]")?.getBoundingClientRect();
      return box !== undefined && box.top >= 0 && box.bottom <= window.innerHeight;
    };
    await expect.poll(() => page.evaluate(isInView)).toBe(true);
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
  });

  it("runs commands by name, by keyboard only", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/`);
    await page.getByRole("textbox").waitFor();
    const run = async (name: string) => {
      await page.keyboard.press("Control+k");
      await field(page).fill(name);
      await chosen(page).filter({ hasText: name }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await run("Go to Inbox");
    await page.waitForURL(/\/s\/inbox$/);
    await run("Theme: Dark");
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await run("Language: Deutsch");
    await page.getByRole("heading", { name: "Eingang" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("requests only the last query, and searches titles locally", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 8 times 9?");
    await answered(page);
    await page.getByRole("navigation").getByRole("link", { name: "What is 8 times 9?" }).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.pathname.endsWith("/search")) asked.push(url.searchParams.get("q") ?? "");
    });
    await page.getByRole("button", { name: "Search" }).click();
    // By the page itself: keys that come from outside may come as late as those of somebody who thinks between them.
    await field(page).evaluate((input: HTMLInputElement) => {
      for (const character of "8 times 9") {
        input.value += character;
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
      }
    });
    await page.getByRole("option", { name: "What is 8 times 9?" }).first().waitFor();
    await expect.poll(() => asked).toEqual(["8 times 9"]);
    await fixture().killServer();
    await field(page).fill("8 tim");
    await page.getByText("Can’t reach the server; searching titles only.").waitFor();
    await page.getByRole("option", { name: "What is 8 times 9?" }).waitFor();
    await field(page).fill("nothing like this");
    await page.getByRole("option").first().waitFor({ state: "detached" });
    await fixture().startServer();
  });
});
