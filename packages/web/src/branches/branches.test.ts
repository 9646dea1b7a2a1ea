import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask, lastAnswer, say } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({ agents: ["argocd", "calculator"] });

const walker = (page: Page, name: string) => page.getByRole("group", { name });
const userTexts = (page: Page) => page.locator(".user-text").allTextContents();
const goneTo = (page: Page, before: string) => page.waitForURL((url) => url.href !== before);

/** Edits a message of the user in its place. */
async function edit(page: Page, from: string, to: string): Promise<void> {
  const before = page.url();
  const message = page.locator(".user-message").filter({ hasText: from });
  await message.hover();
  await message.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Edit message" }).fill(to);
  await page.getByRole("button", { name: "Save & run as a new branch" }).click();
  await goneTo(page, before);
}

describe("branches", { timeout: 180_000 }, () => {
  it("keeps both versions of an edited message, and switches between them (S0.19, +4)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 6 times 7?");
    expect(await answered(page)).toContain("42");
    await say(page, "What is 8 times 8?");
    await expect.poll(() => lastAnswer(page).textContent()).toContain("64");
    const original = page.url();
    await edit(page, "8 times 8", "What is 9 times 9?");
    await expect.poll(() => lastAnswer(page).textContent(), { timeout: 60_000 }).toContain("81");
    await expect.poll(() => userTexts(page)).toEqual(["What is 6 times 7?", "What is 9 times 9?"]);
    const edited = page.url();

    await edit(page, "9 times 9", "What is 5 times 5?");
    await expect.poll(() => lastAnswer(page).textContent(), { timeout: 60_000 }).toContain("25");
    await walker(page, "Branch 3 of 3").getByText("3/3").waitFor();
    // In the list they are named by their own message, below their parent.
    await expect
      .poll(() => page.locator(".session-link").allTextContents())
      .toEqual(["What is 6 times 7?", "What is 9 times 9?", "What is 5 times 5?"]);
    expect(await page.locator(".session-link").nth(2).getAttribute("title")).toBe(
      "What is 6 times 7?, branch: What is 5 times 5?",
    );
    const starts = await page
      .locator(".session-link span")
      .evaluateAll((names) => names.map((name) => name.getBoundingClientRect().x));
    expect(starts).toEqual([...starts].sort((one, other) => one - other));
    expect(new Set(starts).size).toBe(3);
    expect(await accessibilityViolations(page)).toEqual([]);
    await walker(page, "Branch 3 of 3").getByRole("button", { name: "Previous branch" }).click();
    await page.waitForURL(edited);
    // The keyboard focus stays where it was.
    await page.waitForFunction(() => document.activeElement?.ariaLabel === "Previous branch");
    await page.keyboard.press("Enter");
    await page.waitForURL(original);
    await expect.poll(() => userTexts(page)).toEqual(["What is 6 times 7?", "What is 8 times 8?"]);
    const previous = walker(page, "Branch 1 of 3").getByRole("button", { name: "Previous" });
    await expect.poll(() => previous.isDisabled()).toBe(true);
    await page.reload();
    await walker(page, "Branch 1 of 3").waitFor();
    await expect.poll(() => lastAnswer(page).textContent()).toContain("64");
  });

  it("discards an unsaved edit, without stopping the answer", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 2 times 2?");
    await answered(page);
    const before = page.url();
    await page.locator(".user-message").hover();
    await page.getByRole("button", { name: "Edit" }).click();
    const field = page.getByRole("textbox", { name: "Edit message" });
    await field.fill("Something else");
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await expect.poll(() => userTexts(page)).toEqual(["What is 2 times 2?"]);
    expect(page.url()).toBe(before);
  });

  it("shows a retry as a branch of the answer (+4)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 3 times 3?");
    await answered(page);
    const before = page.url();
    await page.getByRole("button", { name: "Retry" }).click();
    await goneTo(page, before);
    expect(await answered(page)).toContain("9");
    await page.locator(".run-foot").getByRole("group", { name: "Branch 2 of 2" }).waitFor();
    expect(await page.locator(".user-message").getByRole("group").count()).toBe(0);
    await page.getByRole("button", { name: "Previous branch" }).click();
    await page.waitForURL(before);
  });

  it("forks from any message, shows that, and does not change the original (+4)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 4 times 4?");
    await answered(page);
    await say(page, "What is 4 times 5?");
    await expect.poll(() => lastAnswer(page).textContent()).toContain("20");
    const parent = page.url();
    await page.locator(".run").first().getByRole("button", { name: "Fork from here" }).click();
    await goneTo(page, parent);
    await page.locator(".new-branch").getByRole("link", { name: "What is 4 times 4?" }).waitFor();
    await expect.poll(() => userTexts(page)).toEqual(["What is 4 times 4?"]);
    // The parent continues here, so that there are already two branches.
    await walker(page, "Branch 2 of 2").waitFor();
    await say(page, "What is 4 times 6?");
    await expect.poll(() => lastAnswer(page).textContent(), { timeout: 60_000 }).toContain("24");
    await expect.poll(() => page.locator(".new-branch").count()).toBe(0);
    await page.locator(".user-message").last().getByRole("button", { name: "Previous branch" }).click();
    await page.waitForURL(parent);
    await expect.poll(() => userTexts(page)).toEqual(["What is 4 times 4?", "What is 4 times 5?"]);
  });

  it("shows all branches as a tree, and two of them side by side (+4)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 7 times 7?");
    await answered(page);
    const root = page.url();
    await edit(page, "7 times 7", "What is 7 times 8?");
    expect(await answered(page)).toContain("56");
    await page.getByRole("link", { name: "2 branches" }).click();
    const tree = page.getByRole("list", { name: "Branches" });
    await tree
      .locator("ul")
      .getByRole("link", { name: /Edit.*What is 7 times 8\?/ })
      .waitFor();
    expect(await tree.getByRole("link", { name: /7 times 8/ }).getAttribute("aria-current")).toBe("true");
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await page.getByRole("button", { name: "Compare side by side" }).isDisabled()).toBe(true);
    for (const box of await tree.getByRole("checkbox").all()) await box.check();
    await page.getByRole("button", { name: "Compare side by side" }).click();
    const [one, other] = [
      page.getByRole("log", { name: "Branch A" }),
      page.getByRole("log", { name: "Branch B" }),
    ];
    await one.getByText("49").first().waitFor();
    await other.getByText("56").first().waitFor();
    expect((await one.boundingBox())?.y).toBe((await other.boundingBox())?.y);
    expect(await accessibilityViolations(page)).toEqual([]);

    await say(page, "What is 7 times 9?");
    for (const column of [one, other]) await column.locator(".answer-text").getByText("63").first().waitFor();
    await page.getByRole("region", { name: "Branch A" }).getByRole("link", { name: "Open" }).click();
    await page.waitForURL(root);
    await expect.poll(() => userTexts(page)).toEqual(["What is 7 times 7?", "What is 7 times 9?"]);
  });

  it("asks two agents the same question, and shows their answers side by side (+4)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 1 plus 1?");
    await answered(page);
    await page.getByRole("button", { name: /Agent: supervisor/ }).click();
    await page.getByRole("link", { name: "Compare agents" }).click();
    await page.getByRole("checkbox", { name: "calculator" }).check();
    await page.getByRole("checkbox", { name: "argocd" }).check();
    await page.getByRole("textbox", { name: "Message" }).fill("show argocd version");
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Ask all" }).click();
    const columns = page.locator(".compare-column");
    await columns.filter({ hasText: "argocd" }).locator(".answer-text").getByText("v3.1.8").first().waitFor();
    await columns
      .filter({ has: page.getByRole("heading", { name: /calculator/ }) })
      .locator(".answer-text")
      .waitFor();
    await page.getByText("First 2 messages are shared").click();
    await page.locator(".compare-common").getByText("What is 1 plus 1?").waitFor();
    await page.reload();
    await columns.nth(1).locator(".answer-text").waitFor();
    expect(await page.locator(".compare-column .user-text").allTextContents()).toEqual([
      "show argocd version",
      "show argocd version",
    ]);
  });

  it("switches the agent of a conversation", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 1 plus 2?");
    await answered(page);
    await page.getByRole("button", { name: /Agent: supervisor/ }).click();
    await page.getByRole("button", { name: "calculator", exact: true }).click();
    await page.getByRole("button", { name: /Agent: calculator/ }).waitFor();
    await say(page, "What is 11 times 11?");
    await page
      .getByRole("article", { name: "calculator" })
      .locator(".answer-text")
      .getByText("121")
      .first()
      .waitFor();
  });

  it("fits a screen of 360 pixels", async () => {
    const page = await fixture().newPage({ viewport: { width: 360, height: 640 } });
    await ask(page, fixture().url, "What is 12 times 12?");
    await answered(page);
    const session = page.url();
    await edit(page, "12 times 12", "What is 12 times 13?");
    await answered(page);
    const fork = new URL(page.url()).pathname.split("/").at(-1);
    for (const address of [
      page.url(),
      `${page.url()}/branches`,
      `${session}/compare?with=${fork}`,
      `${session}/compare`,
    ]) {
      await page.goto(address);
      await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      expect(await accessibilityViolations(page)).toEqual([]);
    }
  });

  it("logs no page errors", () => {
    expect(fixture().troubles).toEqual([]);
  });
});
