import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { shellKept } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({ agents: ["calculator"], environment: { PARLEY_AUTH: "on" } });

/** The pages of each kind, and what shows that they are there. */
const SCREENS: readonly (readonly [path: string, shown: string])[] = [
  ["/docs", ".doc-text"],
  ["/docs/settings", ".md-table"],
  ["/docs/web-client", ".doc-picture"],
  ["/docs/clients/ag-ui", ".doc-text"],
  ["/docs/decisions", ".doc-text"],
  ["/docs/no-such-page", "h1"],
];

describe("the documentation", { timeout: 180_000 }, () => {
  it("needs no key, and is accessible without overflow, in both themes and at 360 pixels", async () => {
    const page = await fixture().newPage({ reducedMotion: "reduce" });
    for (const [path, shown] of SCREENS) {
      await page.goto(fixture().url + path);
      await page.getByRole("main").locator(shown).first().waitFor();
      for (const width of [1_400, 360]) {
        await page.setViewportSize({ width, height: 760 });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect([path, width, wide, await accessibilityViolations(page)]).toEqual([path, width, width, []]);
      }
    }
  });

  it("links pages and sections without reloading", async () => {
    const page = await fixture().newPage({ viewport: { width: 1_400, height: 760 } });
    await page.goto(`${fixture().url}/docs`);
    await page.evaluate(() => Object.assign(globalThis, { isSame: true }));
    await page.getByRole("navigation").getByRole("link", { name: "Operating" }).click();
    await page.getByRole("heading", { level: 1, name: "Operating", exact: true }).waitFor();
    await page
      .getByRole("navigation", { name: "On this page" })
      .getByRole("link", { name: "Backups" })
      .click();
    await page.waitForURL(/\/docs\/operating#backups$/);
    const top = () => page.locator("#backups").evaluate((heading) => heading.getBoundingClientRect().top);
    await expect.poll(top, { timeout: 10_000 }).toBeLessThan(200);
    await page.getByRole("navigation").getByRole("link", { name: "Overview" }).click();
    await page.getByRole("main").getByRole("link", { name: "Open WebUI" }).click();
    await page.waitForURL(/\/docs\/clients\/open-webui$/);
    await page.getByRole("main").getByRole("link", { name: "Access" }).click();
    await page.getByRole("heading", { level: 1, name: "Access" }).waitFor();
    expect(await page.evaluate(() => "isSame" in globalThis)).toBe(true);
  });

  it("finds settings and sections by text, and opens them", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/docs`);
    await page.locator(".doc-text").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("lease");
    await page.locator(".docs-hits mark").first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("searchbox").fill("openid login");
    await page.getByRole("link", { name: /Login with OpenID/ }).click();
    await page.waitForURL(/\/docs\/access#login-with-openid$/);
    await page.getByRole("searchbox").fill("qwertz");
    await page.getByRole("heading", { name: "No results" }).waitFor();
  });

  it("works offline once it was opened", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/docs`);
    await shellKept(page);
    await page.context().setOffline(true);
    await page.goto(`${fixture().url}/docs/concepts`);
    await page.getByRole("heading", { level: 1, name: "Concepts" }).waitFor();
    await page.getByRole("link", { name: "API reference" }).click();
    await page.getByText("Rename, configure or archive a session").waitFor();
    await page.context().setOffline(false);
    fixture().troubles.length = 0;
  });

  it("has an API reference that sends requests, under the same policy", async () => {
    const page = await fixture().newPage({ reducedMotion: "reduce" });
    await page.goto(`${fixture().url}/docs/api-reference`);
    const list = page.locator("#operations-Sessions-get_sessions");
    await list.waitFor();
    for (const width of [1_400, 360]) {
      await page.setViewportSize({ width, height: 760 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await accessibilityViolations(page)).toEqual([]);
    }
    await list.locator(".opblock-summary-control").click();
    await list.getByRole("button", { name: "Try it out" }).click();
    const sent = page.waitForResponse((response) => response.url().includes("/api/v1/sessions"));
    await list.getByRole("button", { name: "Execute" }).click();
    expect((await sent).status()).toBe(401);
    await list.locator(".live-responses-table").getByText("401").first().waitFor();
  });

  it("logs no errors and no policy violations", () => {
    expect(fixture().troubles.filter((trouble) => !/401/.test(trouble))).toEqual([]);
  });
});
