import type { Page } from "playwright-core";

/** A screen worth a picture: how to get there from the start page. */
export interface Scene {
  readonly name: string;
  readonly width?: number;
  show(page: Page, url: string): Promise<void>;
}

/** The main screens, in the order a new user meets them. */
export const SCENES: readonly Scene[] = [
  {
    name: "first-page",
    show: (page) => page.getByRole("textbox").waitFor(),
  },
  {
    name: "conversation",
    async show(page) {
      await ask(page, "What is the version of Argo CD, and what is 6 times 7?");
      await page.locator(".run-foot").waitFor();
      await page.locator(".work > summary").first().click();
      await page.locator(".lane").nth(1).waitFor();
      await page.locator(".scroller").evaluate((each) => each.scrollTo({ top: 0 }));
    },
  },
  {
    name: "answer",
    async show(page) {
      await ask(page, "Which applications are out of sync?");
      await page.locator(".run-foot").waitFor();
    },
  },
  {
    name: "files",
    async show(page) {
      await ask(page, "Draw a chart of 3, 5, 8, 13 and 21");
      await page.locator(".run-foot").waitFor();
      await page.locator(".file-chip").first().click();
      await page.getByRole("complementary", { name: "Files" }).locator("img").waitFor();
    },
  },
  {
    name: "approval",
    async show(page) {
      await ask(page, 'Write "Order 20 blue mugs" to the file order.txt');
      await page.locator(".approval").waitFor();
    },
  },
  {
    name: "branches",
    async show(page) {
      await ask(page, "What is 6 times 7?");
      await page.locator(".run-foot").waitFor();
      const parent = page.url();
      await page.locator(".user-message").hover();
      await page.getByRole("button", { name: "Edit" }).first().click();
      await page.getByRole("textbox", { name: "Edit message" }).fill("What is 6 times 8?");
      await page.getByRole("button", { name: "Save & run as a new branch" }).click();
      await page.waitForURL((url) => url.href !== parent);
      await page.locator(".run-foot").waitFor();
      await page.locator(".branch-walker").first().waitFor();
    },
  },
  {
    name: "trace",
    async show(page) {
      await ask(page, "What is the version of Argo CD, and what is 6 times 7?");
      await page.getByRole("link", { name: "Trace" }).click();
      await page.getByRole("button", { name: /^Tool .*evaluate/ }).click();
      await page.locator(".event-json").waitFor();
    },
  },
  {
    name: "time-travel",
    async show(page) {
      await ask(page, "show argocd version");
      await page.locator(".run-foot").waitFor();
      await page.goto(`${page.url()}?event=12`);
      await page.locator(".scrubber").waitFor();
    },
  },
  { name: "inbox", show: (page, url) => visit(page, `${url}/s/inbox`) },
  {
    name: "agents",
    async show(page, url) {
      await visit(page, `${url}/s/agents`);
      await page.locator(".agent-card").first().waitFor();
    },
  },
  { name: "settings", show: (page, url) => visit(page, `${url}/s/settings`) },
  { name: "workspace", show: (page, url) => visit(page, `${url}/s/workspace`) },
  {
    name: "narrow",
    width: 360,
    async show(page) {
      await ask(page, "show argocd version");
      await page.locator(".run-foot").waitFor();
    },
  },
];

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox").fill(text);
  await page.keyboard.press("Enter");
}

async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole("main").getByRole("heading").first().waitFor();
}
