import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";
import { STARTERS } from "./starter-prompts.ts";

const fixture = webFixture({ agents: ["calculator"] });

describe("the first page", { timeout: 180_000 }, () => {
  it.each([
    ["en", ["Investigate", "Approve", "Edit and fork", "Break it"]],
    ["de", ["Untersuchen", "Freigeben", "Bearbeiten und abzweigen", "Kaputt machen"]],
  ])("offers the four starters with their messages, in %s (S0.19)", async (locale, names) => {
    const page = await fixture().newPage({ locale, viewport: { width: 360, height: 700 } });
    await page.goto(fixture().url);
    const starters = page.locator(".starters button");
    await starters.last().waitFor();
    expect(await starters.locator("strong").allTextContents()).toEqual(names);
    expect(await starters.locator("span").allTextContents()).toEqual(STARTERS.map(([, prompt]) => prompt));
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it("starts a conversation with one click", async () => {
    const page = await fixture().newPage();
    await page.goto(fixture().url);
    await page.getByRole("button", { name: "Edit and fork" }).click();
    expect(await answered(page)).toContain("= 12");
    expect(fixture().troubles).toEqual([]);
  });
});
