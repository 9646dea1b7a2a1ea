import { sharedChromium, type TestBrowser } from "@parley/testing/chromium.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PeoplePlatform } from "./testing/people-platform.ts";

type Page = Awaited<ReturnType<TestBrowser["newPage"]>>;

let platform: PeoplePlatform;
let browser: TestBrowser;
beforeAll(async () => {
  platform = await PeoplePlatform.start();
  browser = await sharedChromium();
}, 180_000);
afterAll(async () => {
  await browser.close();
  await platform.stop();
});

/** When something is written, in milliseconds from the end of the login: before the page can know of it, and after. */
const SENT_AFTER = [0, 3, 12, 40, 150];
const WRITTEN_AFTER = [0, 25, 120];

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ locale: "en-US" });
  // The provider's forms would load external fonts.
  await context.route(/^https:/, (route) => route.abort());
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  return page;
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.goto(`${platform.url}/s/`);
  await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
  await page.getByRole("link", { name: /Sign in with/ }).click();
  await page.getByPlaceholder("Enter any login").fill(name);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.locator(".who-name", { hasText: name }).waitFor();
}

/** The provider still has a session and asks only for consent. */
async function signInAgain(page: Page): Promise<void> {
  await page.getByRole("link", { name: /Sign in with/ }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

/** Ends a page's login from another client, which makes the server close its streams. */
async function endLogin(page: Page): Promise<void> {
  const kept = await page.context().cookies(platform.url);
  const cookie = kept.map(({ name, value }) => `${name}=${value}`).join("; ");
  const headers = { cookie, origin: platform.url };
  const { ok } = await fetch(`${platform.url}/auth/logout`, { method: "POST", headers });
  expect(ok).toBe(true);
}

/** Writes so shortly after the end of a login as only the page itself can; says whether it was still there to be written in. */
async function writtenAsLoginEnds(
  page: Page,
  words: string,
  after: number,
  sends: boolean,
): Promise<boolean> {
  const write = `window.endsNow = () => setTimeout(() => {
    const field = document.querySelector("textarea");
    if (!field) return;
    field.value = ${JSON.stringify(words)};
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    if (${sends}) field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    localStorage.setItem("written", ${JSON.stringify(words)});
  }, ${after})`;
  await page.evaluate(write);
  // The page may be gone before it can confirm.
  await Promise.all([endLogin(page), page.evaluate("void endsNow()").catch(() => undefined)]);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  return (await page.evaluate("localStorage.getItem('written')")) === words;
}

/** The number of the user's messages with this text on the server. */
function countMessages(page: Page, words: string): Promise<unknown> {
  return page.evaluate(`(async () => {
    const { sessions } = await (await fetch("/api/v1/sessions?limit=100")).json();
    const read = ({ id }) => fetch("/api/v1/sessions/" + id).then((answer) => answer.json());
    const said = (await Promise.all(sessions.map(read))).flatMap(({ messages }) => messages);
    return said.filter(({ content }) => content === ${JSON.stringify(words)}).length;
  })()`);
}

describe("a message written at the moment a login ends elsewhere (invariants 19 and 20)", {
  timeout: 900_000,
}, () => {
  it("is sent once or kept as a draft for the same user's next login, and is invisible to others", async () => {
    const page = await newPage();
    await signIn(page, "dan");
    const field = page.getByRole("textbox").first();
    const begin = async () => {
      await page.goto(`${platform.url}/s/`);
      await page.locator(".who-name").waitFor();
      await expect.poll(() => field.isEditable()).toBe(true);
      await field.fill("");
    };
    let written = 0;
    for (const after of SENT_AFTER) {
      const words = `Sent after ${after} ms`;
      await begin();
      const isWritten = await writtenAsLoginEnds(page, words, after, true);
      await signInAgain(page);
      await page.locator(".who-name").waitFor();
      if (!isWritten) continue;
      written++;
      // In the open conversation, or in the list.
      await page.getByRole("navigation").getByText(words, { exact: true }).waitFor();
      await expect.poll(() => countMessages(page, words), { timeout: 60_000 }).toBe(1);
    }
    for (const after of WRITTEN_AFTER) {
      const words = `Written after ${after} ms`;
      await begin();
      const isWritten = await writtenAsLoginEnds(page, words, after, false);
      await signInAgain(page);
      await page.locator(".who-name").waitFor();
      if (!isWritten) continue;
      written++;
      await expect.poll(() => field.inputValue()).toBe(words);
    }
    expect(written).toBeGreaterThan(3);
    await endLogin(page);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.context().clearCookies();
    await signIn(page, "eli");
    await page.getByText("Your conversations will appear here.").waitFor();
    expect(await field.inputValue()).toBe("");
    expect(await page.getByText(/(Sent|Written) after/).count()).toBe(0);
  });

  it("is kept while the server cannot identify the user, and the page accepts no anonymous input", async () => {
    const page = await newPage();
    await signIn(page, "fay");
    await endLogin(page);
    const words = "Written as the login ended";
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await signInAgain(page);
    await page.locator(".who-name").waitFor();
    const field = page.getByRole("textbox").first();
    await field.fill(words);
    await endLogin(page);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    let isAway = true;
    await page.context().route("**/api/v1/me", (route) => (isAway ? route.abort() : route.continue()));
    await signInAgain(page);
    await page.getByText("You can continue here as soon as it is back.").waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
    isAway = false;
    await page.locator(".who-name", { hasText: "fay" }).waitFor();
    await expect.poll(() => field.inputValue()).toBe(words);
  });
});
