import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({ agents: ["calculator"] });

describe("the shell", { timeout: 180_000 }, () => {
  it("deletes a conversation, and undoes that (S0.19)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 1+1?");
    await answered(page);
    const row = page.getByRole("navigation").getByRole("link", { name: "What is 1+1?" });
    await row.hover();
    await page.getByRole("button", { name: "More: What is 1+1?" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    await page.waitForURL(/\/s\/?$/);
    await page.getByRole("button", { name: "Undo" }).click();
    await row.click();
    await page.locator(".answer-text").getByText("2").first().waitFor();
  });

  it("renames a conversation in every tab", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 2+2?");
    await answered(page);
    const other = await fixture().newPage();
    await other.goto(page.url());
    await page.getByRole("navigation").getByRole("link", { name: "What is 2+2?" }).hover();
    await page.getByRole("button", { name: "More: What is 2+2?" }).click();
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Four");
    await page.keyboard.press("Enter");
    await other.getByRole("heading", { name: "Four" }).waitFor();
    await other.getByRole("navigation").getByRole("link", { name: "Four" }).waitFor();
  });

  it("does not move a focused row, whatever else changes in the list", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 3+3?");
    await answered(page);
    await page.getByRole("navigation").getByRole("link", { name: "What is 3+3?" }).hover();
    await page.getByRole("button", { name: "More: What is 3+3?" }).click();
    await page.getByRole("button", { name: "Rename" }).click();
    const title = page.getByRole("textbox", { name: "Title" });
    await title.fill("Half a na");
    const other = await fixture().newPage();
    await ask(other, fixture().url, "What is 4+4?");
    await answered(other);
    await page.getByRole("navigation").getByRole("link", { name: "What is 4+4?" }).waitFor();
    await title.pressSequentially("me");
    await page.keyboard.press("Enter");
    await page.getByRole("navigation").getByRole("link", { name: "Half a name" }).waitFor();
  });

  it("applies its theme before the first paint, and keeps it", async () => {
    const page = await fixture().newPage({ colorScheme: "light" });
    await page.goto(`${fixture().url}/s/settings`);
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    await page.getByRole("radio", { name: "Dark" }).check();
    await expect.poll(background).not.toBe(light);
    const dark = await background();
    // Without the client's own script nothing but the early one can have done it.
    await page.route(/index-.*\.js$/, (route) => route.abort());
    await page.reload({ waitUntil: "domcontentloaded" });
    await expect.poll(background).toBe(dark);
    await page.unroute(/index-.*\.js$/);
    await page.reload();
    await page.getByRole("radio", { name: "System" }).check();
    await expect.poll(background).toBe(light);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(background).toBe(dark);
  });

  it("can be switched to German", async () => {
    const page = await fixture().newPage({ locale: "de-DE" });
    await page.goto(`${fixture().url}/s/settings`);
    await page.getByRole("heading", { name: "Einstellungen" }).waitFor();
    await page.getByRole("radio", { name: "English" }).check();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
  });

  it("fits a screen of 360 pixels on every page", async () => {
    const page = await fixture().newPage({ viewport: { width: 360, height: 640 } });
    await ask(page, fixture().url, "What is 15% of 80?");
    await answered(page);
    for (const path of [
      new URL(page.url()).pathname,
      "/s/",
      "/s/inbox",
      "/s/agents",
      "/s/settings",
      "/s/no/such",
    ]) {
      await page.goto(fixture().url + path);
      await page.getByRole("button", { name: "Show conversations" }).click();
      await page.getByRole("link", { name: "Settings" }).waitFor();
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      await expect.poll(async () => [path, await width()]).toEqual([path, 360]);
    }
  });

  it("passes the axe accessibility checks", async () => {
    const page = await fixture().newPage();
    for (const path of ["/s/", "/s/inbox", "/s/agents", "/s/settings", "/s/no/such"]) {
      await page.goto(fixture().url + path);
      await page.getByRole("main").getByRole("heading").first().waitFor();
      expect([path, await accessibilityViolations(page)]).toEqual([path, []]);
    }
  });

  it("reports an unknown conversation", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/ses_never`);
    await page.getByText("Conversation not found").waitFor();
  });

  it("shows every shortcut on one sheet", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/settings`);
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("New conversation").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("Control+Shift+O");
    await page.waitForURL(/\/s\/?$/);
  });

  it("shows that the server is unreachable, and recovers when it is back", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 3+3?");
    await answered(page);
    await fixture().killServer();
    await page.getByText(/Can’t reach the server – retrying/).waitFor();
    await page.getByRole("textbox").fill("What is 4+4?");
    await page.keyboard.press("Enter");
    await page.getByText(/1 message waiting/).waitFor();
    await fixture().startServer();
    await page.locator(".run").nth(1).locator(".answer-text").getByText("8").waitFor();
    await expect.poll(() => page.locator(".connection-line").count()).toBe(0);
    expect(await page.locator(".user-message").count()).toBe(2);
  });

  it("runs no inline or foreign scripts", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/`);
    await page.getByRole("textbox").waitFor();
    const ran = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "window.ranInline = true";
      document.body.append(script);
      const image = document.createElement("img");
      image.setAttribute("onerror", "window.ranHandler = true");
      image.src = "/s/assets/none.png";
      document.body.append(image);
      await new Promise((resolve) => image.addEventListener("error", resolve));
      return ["ranInline" in window, "ranHandler" in window];
    });
    expect(ran).toEqual([false, false]);
  });
});
