import { expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { webFixture } from "../testing/web-fixture.ts";

/** Nobody listens there. */
const AWAY = "http://127.0.0.1:9";
const fixture = webFixture({
  agents: [],
  environment: { PARLEY_OIDC_ISSUER: AWAY, PARLEY_OIDC_CLIENT_ID: "parley" },
});

it("a signed-out visitor sees only the ways to sign in", { timeout: 180_000 }, async () => {
  const page = await fixture().newPage();
  await page.goto(`${fixture().url}/s/inbox`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const link = page.getByRole("link", { name: "Sign in with 127.0.0.1:9" });
  expect(await link.getAttribute("href")).toBe("/auth/login?to=%2Fs%2Finbox");
  expect(await page.getByRole("navigation").count()).toBe(0);
  for (const width of [1_100, 360]) {
    await page.setViewportSize({ width, height: 760 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await accessibilityViolations(page)).toEqual([]);
  }
});

it("a refused key is not stored, and an unreachable provider is reported", {
  timeout: 180_000,
}, async () => {
  const page = await fixture().newPage();
  await page.goto(`${fixture().url}/s/`);
  await page.getByLabel("API key").fill("wrong.wrong.wrong");
  await page.getByRole("button", { name: "Continue with this key" }).click();
  await page.getByRole("alert").filter({ hasText: "This key is not valid" }).waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await page.getByRole("link", { name: /Sign in with/ }).click();
  await page.getByRole("heading", { name: "Signing in is unavailable" }).waitFor();
  await page.getByText("cannot be reached").waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
});

it("the sign-in page can be shown in German", { timeout: 180_000 }, async () => {
  const page = await fixture().newPage({ locale: "de-DE" });
  await page.goto(`${fixture().url}/s/`);
  await page.getByRole("heading", { name: "Anmelden" }).waitFor();
  await page.getByText("API-Schlüssel").waitFor();
});
