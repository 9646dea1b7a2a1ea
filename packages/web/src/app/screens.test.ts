import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask, say } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({ agents: ["argocd", "calculator"] });

/** Where each screen is in a session that has something on all of them, and what shows that it is there. */
const SCREENS: readonly (readonly [name: string, path: string, shown: string])[] = [
  ["the first page", "/s/", "h1"],
  ["a conversation", "/s/:session", ".run-foot"],
  ["a fork", "/s/:fork", ".run-foot"],
  ["the past", "/s/:session?event=5", ".scrubber"],
  ["the branches", "/s/:session/branches", ".branch-row"],
  ["a comparison", "/s/:session/compare?with=:fork", ".compare-columns"],
  ["two agents on one prompt", "/s/:session/compare", ".agents-form"],
  ["all events", "/s/:session/trace", ".event-row"],
  ["a trace", "/s/:session/trace/:run?span=run", ".bar-row"],
  ["an approval", "/s/:asking", ".approval"],
  ["the inbox", "/s/inbox", ".approval"],
  ["the agents", "/s/agents", "h1"],
  ["the settings", "/s/settings", "h1"],
  ["no such page", "/s/no/such/page", "h1"],
  ["no such conversation", "/s/ses_never", "h1:has-text('not found')"],
];

/** A session with an answer, a fork of it, and one that waits for a yes; made once, by the page itself. */
let made: Promise<Readonly<Record<string, string>>> | undefined;

async function prepared(page: Page): Promise<Readonly<Record<string, string>>> {
  const id = () => new URL(page.url()).pathname.split("/").at(-1) ?? "";
  await ask(page, fixture().url, "What is the version of Argo CD, and what is 6 times 7?");
  await answered(page);
  const session = id();
  await page.getByRole("link", { name: "Trace" }).click();
  await page.waitForURL(/trace/);
  const run = id();
  await page.goBack();
  await page.getByRole("button", { name: "Edit" }).first().click();
  await page.getByRole("textbox").first().fill("What is 6 times 8?");
  await page.getByRole("button", { name: "Save & run as a new branch" }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(session));
  await answered(page);
  const fork = id();
  await page.goto(`${fixture().url}/s/`);
  await say(page, "Sync checkout");
  await page.locator(".approval").waitFor();
  return { session, run, fork, asking: id() };
}

describe.each(["light", "dark"] as const)("in the %s theme", { timeout: 180_000 }, (colorScheme) => {
  it("axe finds no issues on any screen, wide or 360 pixels, and none overflows the window", async () => {
    const page = await fixture().newPage({ colorScheme, reducedMotion: "reduce" });
    made ??= prepared(page);
    const ids = await made;
    for (const [name, path, shown] of SCREENS) {
      await page.goto(fixture().url + path.replaceAll(/:(\w+)/g, (_, part: string) => ids[part] ?? part));
      await page.getByRole("main").locator(shown).first().waitFor();
      for (const width of [1_100, 360]) {
        await page.setViewportSize({ width, height: 760 });
        const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
        await expect.poll(async () => [name, await wide()]).toEqual([name, width]);
        const violations = await accessibilityViolations(page, [colorScheme]);
        expect([name, width, violations]).toEqual([name, width, []]);
      }
    }
  });

  it("axe finds no issues in overlays: palette, shortcut sheet, menus", async () => {
    const page = await fixture().newPage({ colorScheme, reducedMotion: "reduce" });
    await page.goto(`${fixture().url}/s/${(await made)?.session}`);
    await page.locator(".run-foot").waitFor();
    for (const open of [
      () => page.keyboard.press("Control+k"),
      async () => {
        // A sign is for whoever writes a text.
        await page.getByRole("main").focus();
        await page.keyboard.press("?");
      },
      () => page.locator(".agent-button").click(),
      () => page.locator(".row-menu").first().click(),
    ]) {
      await open();
      await page.locator("dialog[open], :popover-open").first().waitFor();
      expect(await accessibilityViolations(page, [colorScheme])).toEqual([]);
      await page.keyboard.press("Escape");
    }
  });
});

it("the pages log no errors except for missing resources", () => {
  expect(fixture().troubles.filter((trouble) => !/404/.test(trouble))).toEqual([]);
});
