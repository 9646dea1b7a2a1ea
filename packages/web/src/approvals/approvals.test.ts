import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask, say } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({ agents: ["argocd"] });
const card = (page: Page) => page.locator(".approval").last();
const waiting = (page: Page) => page.locator(".approval.waiting");

describe("an approval", { timeout: 180_000 }, () => {
  it("shows who wants what, and can be given with changed, valid arguments (+7)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "Sync checkout");
    await card(page).getByText("argocd wants to use sync").waitFor();
    await card(page).getByRole("button", { name: "Edit arguments" }).click();
    const field = card(page).getByRole("textbox", { name: "Arguments" });
    await field.fill('{\n  "name": checkout\n}');
    const approve = card(page).getByRole("button", { name: "Approve with changes" });
    expect(await approve.isDisabled()).toBe(true);
    await card(page).getByRole("button", { name: "line 2, column 11" }).click();
    expect(await field.evaluate((each: HTMLTextAreaElement) => each.selectionStart)).toBe(12);
    expect(await accessibilityViolations(page)).toEqual([]);
    await field.fill('{ "name": "checkout", "dryRun": true }');
    await approve.click();
    await card(page).getByText("with changed arguments:").waitFor();
    expect(await answered(page)).toContain("dry run");
  });

  it("is found and answered by keyboard only", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "Sync checkout");
    await waiting(page).waitFor();
    await page.keyboard.press("Control+i");
    await expect.poll(() => waiting(page).evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.press("n");
    await card(page).getByText("You denied this").waitFor();
    await answered(page);
    // A letter that is typed is a letter.
    await say(page, "Sync checkout");
    await waiting(page).waitFor();
    await waiting(page).getByRole("textbox", { name: "Reason" }).fill("");
    await waiting(page).getByRole("textbox", { name: "Reason" }).press("n");
    expect(await waiting(page).count()).toBe(1);
    await waiting(page).getByRole("button", { name: "Deny" }).click();
    await card(page).getByText("You denied this").waitFor();
  });

  it("can be given for a whole session, which shows that each time, also after a reload, and can be revoked there", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "Sync checkout");
    await waiting(page).getByRole("button", { name: "Always allow sync in this conversation" }).click();
    await answered(page);
    await page.reload();
    await card(page).getByText("You approved this").waitFor();
    await say(page, "Sync checkout");
    await page.getByText("Auto-approved").waitFor();
    await page.locator(".run").nth(1).locator(".run-foot").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await card(page).getByRole("button", { name: "Ask me again" }).click();
    await card(page).getByRole("button", { name: "Ask me again" }).waitFor({ state: "detached" });
    await say(page, "Sync checkout");
    await waiting(page).waitFor();
    // In another session it was never allowed.
    const other = await fixture().newPage();
    await ask(other, fixture().url, "Sync checkout");
    await waiting(other).waitFor();
    for (const each of [page, other]) await waiting(each).getByRole("button", { name: "Deny" }).click();
    for (const each of [page, other]) await answered(each);
  });

  it("stays in the inbox with a badge across a server restart, and is answered there (+7)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "Sync checkout");
    await waiting(page).waitFor();
    const conversation = page.url();
    const link = page.getByRole("link", { name: /^Inbox\s+1 pending request$/ });
    await link.waitFor();
    await fixture().killServer();
    await fixture().startServer();
    await page.reload();
    await link.click();
    await page.waitForURL(/\/s\/inbox$/);
    await waiting(page).getByText('"name": "checkout"').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press("Control+i");
    await page.keyboard.press("y");
    await page.getByText("You’re all caught up.").waitFor();
    await page.getByRole("heading", { name: "Recent decisions" }).waitFor();
    await page.getByRole("link", { name: "Inbox", exact: true }).waitFor();
    await page.goto(conversation);
    expect(await answered(page)).toContain("checkout");
  });

  it("shows a desktop notification, if enabled and the page is hidden", async () => {
    const page = await fixture().newPage();
    // A browser without a screen always shows its pages, and neither permits nor shows notifications.
    await page.addInitScript(() => {
      const told: string[] = [];
      Object.assign(window, { told, isHidden: false });
      Object.defineProperty(document, "hidden", {
        get: () => (window as never as { isHidden: boolean }).isHidden,
      });
      const Real = Notification;
      class Recorded extends Real {
        static override readonly permission = "granted";
        static override requestPermission = async () => "granted" as const;
        constructor(title: string, options?: NotificationOptions) {
          super(title, options);
          told.push(`${title}: ${options?.body}`);
        }
      }
      Object.assign(window, { Notification: Recorded });
    });
    await page.goto(`${fixture().url}/s/settings`);
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByRole("button", { name: "Turn off" }).waitFor();
    const told = () => page.evaluate(() => (window as never as { told: string[] }).told);
    await ask(page, fixture().url, "Sync checkout");
    await waiting(page).getByRole("button", { name: "Deny" }).click();
    await answered(page);
    expect(await told()).toEqual([]);
    await page.evaluate(() => Object.assign(window, { isHidden: true }));
    await say(page, "Sync checkout");
    await expect
      .poll(told, { timeout: 60_000 })
      .toMatchObject([expect.stringContaining("argocd is waiting for you")]);
  });

  it("logs no page errors", () => {
    // The browser itself notes that a server that was killed cannot be reached.
    const own = fixture().troubles.filter((text) => !/Failed to load resource|net::ERR/.test(text));
    expect(own).toEqual([]);
  });
});
