import { afterAll, beforeAll, expect, it } from "vitest";
import { type Page, PeopleBrowser } from "./testing/people-browser.ts";
import { PeoplePlatform } from "./testing/people-platform.ts";

let platform: PeoplePlatform;
let browser: PeopleBrowser;
beforeAll(async () => {
  platform = await PeoplePlatform.start();
  browser = await PeopleBrowser.open(platform);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await platform.stop();
});

async function say(page: Page, words: string): Promise<void> {
  const field = page.getByRole("textbox").first();
  await field.fill(words);
  await field.press("Enter");
  await page.waitForURL(/\/s\/ses_/);
  await page.getByRole("log").getByText(words).waitFor();
}

it("a user signs in in a real browser, works, stays signed in after a reload and a restart, and signs out; the next user sees none of it (S4.2, invariant 20)", {
  timeout: 240_000,
}, async () => {
  const page = await browser.newPage();
  await page.goto(`${platform.url}/s/inbox`);
  await browser.signIn(page, "ann");
  await page.waitForURL(`${platform.url}/s/inbox`);
  expect(await page.evaluate("document.cookie")).toBe("");
  await page.goto(`${platform.url}/s/`);
  await say(page, "A secret of Ann's");
  // Unsent text would be kept for this user.
  await page.locator(".run-foot").waitFor();
  const conversation = page.url();
  await platform.restart();
  await page.reload();
  await page.getByRole("log").getByText("A secret of Ann's").waitFor();
  await page.locator(".run-foot").waitFor();

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const kept = "indexedDB.databases().then((all) => all.map(({ name }) => name))";
  await expect.poll(() => page.evaluate(kept)).toEqual([]);

  // The provider still knows the browser, so another name needs another one.
  await page.context().clearCookies({ domain: "127.0.0.1" });
  await browser.signIn(page, "bob");
  await page.getByText("Your conversations will appear here.").waitFor();
  await page.goto(conversation);
  await page.getByText("Conversation not found").waitFor();
  expect(await page.getByText("A secret of Ann's").count()).toBe(0);
});

it("a login that ends elsewhere leads to the sign-in page and back", {
  timeout: 240_000,
}, async () => {
  const page = await browser.newPage();
  await page.goto(`${platform.url}/s/`);
  await browser.signIn(page, "cat");
  const cookies = await page.context().cookies(platform.url);
  expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
    ["parley_login", true, "Strict"],
  ]);
  await page.context().clearCookies({ name: "parley_login" });
  const words = "Written while signed out";
  const field = page.getByRole("textbox").first();
  await field.fill(words);
  await field.press("Enter");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  // The provider still has a session and asks only for consent.
  await page.getByRole("link", { name: /Sign in with/ }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.locator(".who-name").waitFor();
});

it("a member of several workspaces can switch, and each has its own conversations", {
  timeout: 240_000,
}, async () => {
  const page = await browser.newPage();
  await page.goto(`${platform.url}/s/`);
  await browser.signIn(page, "eve");
  await say(page, "At home");
  expect(await page.getByRole("combobox", { name: "Workspace" }).count()).toBe(0);
  const made = `fetch("/api/v1/workspaces", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: '{"name":"Team"}',
  }).then(({ status }) => status)`;
  expect(await page.evaluate(made)).toBe(201);
  await page.reload();
  const chooser = page.getByRole("combobox", { name: "Workspace" });
  await chooser.selectOption("Team");
  await page.waitForURL(`${platform.url}/s/`);
  await page.getByText("Your conversations will appear here.").waitFor();
  expect(await page.getByText("At home").count()).toBe(0);
  await chooser.selectOption("eve");
  await page.getByText("At home").first().waitFor();
});
