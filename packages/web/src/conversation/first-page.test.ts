import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered } from "../testing/asking.ts";
import { webGround } from "../testing/web-ground.ts";
import { STARTERS } from "./starter-prompts.ts";

const ground = webGround({ agents: ["calculator"] });

describe("the first page", { timeout: 180_000 }, () => {
  it.each([
    ["en", ["Investigate", "Approve", "Edit and fork", "Break it"]],
    ["de", ["Untersuchen", "Erlauben", "Ändern und abzweigen", "Zerbrechen"]],
  ])("offers the four starters with what they will say, to who speaks %s (S0.19)", async (locale, names) => {
    const page = await ground().newPage({ locale, viewport: { width: 360, height: 700 } });
    await page.goto(ground().url);
    const starters = page.locator(".starters button");
    await starters.last().waitFor();
    expect(await starters.locator("strong").allTextContents()).toEqual(names);
    expect(await starters.locator("span").allTextContents()).toEqual(STARTERS.map(([, prompt]) => prompt));
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it("begins a conversation with one click", async () => {
    const page = await ground().newPage();
    await page.goto(ground().url);
    await page.getByRole("button", { name: "Edit and fork" }).click();
    expect(await answered(page)).toContain("= 12");
    expect(ground().troubles).toEqual([]);
  });
});
