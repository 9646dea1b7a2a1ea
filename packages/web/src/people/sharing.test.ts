import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask, lastAnswer, say } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({ agents: ["calculator"] });

/** A conversation, and the address of a link to it. */
async function sharedBy(page: Page): Promise<string> {
  await ask(page, fixture().url, "What is 6 times 7?");
  await answered(page);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("No links yet.").waitFor();
  await page.getByRole("button", { name: "Create link" }).click();
  return page.getByRole("textbox", { name: "Link", exact: true }).inputValue();
}

it("a conversation is shared by a link, read live and replayed, and revoked (S4.2)", {
  timeout: 180_000,
}, async () => {
  const page = await fixture().newPage();
  const address = await sharedBy(page);
  expect(address).toMatch(/\/s\/shared#[\w-]{43}$/);
  expect(await accessibilityViolations(page)).toEqual([]);
  const asked: string[] = [];
  const reader = await fixture().newPage();
  reader.on("request", (request) => void asked.push(request.url()));
  await reader.goto(address);
  await lastAnswer(reader).getByText("42").waitFor();
  await reader.getByRole("log").getByText("What is 6 times 7?").waitFor();
  expect(await accessibilityViolations(reader)).toEqual([]);
  // What is behind the # goes to no server, and there is nothing to be done here.
  const token = address.split("#")[1] ?? "none";
  expect(asked.filter((url) => url.includes("/api/") && url.includes(token))).toEqual([]);
  expect(asked.filter((url) => /\/api\/v1\/(?!shared)/.test(url))).toEqual([]);
  expect(await reader.getByRole("textbox").count()).toBe(0);
  await page.keyboard.press("Escape");
  await say(page, "What is 6 times 8?");
  // Not anywhere on the page: it also counts the session's events.
  const answer = reader.locator(".answer-text").getByText("48");
  await answer.waitFor();
  await reader.getByRole("slider").fill("2");
  await answer.waitFor({ state: "detached" });
  await reader.getByRole("button", { name: "Back to now" }).click();
  await answer.waitFor();
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No links yet.").waitFor();
  await reader.getByText("This link no longer works").waitFor();
  expect(await accessibilityViolations(reader)).toEqual([]);
  await reader.reload();
  await reader.getByText("This link no longer works").waitFor();
});

it("a share URL without a token, or with a wrong one, shows an error", { timeout: 180_000 }, async () => {
  for (const token of ["", "#wrong"]) {
    const reader = await fixture().newPage();
    await reader.goto(`${fixture().url}/s/shared${token}`);
    await reader.getByText("This link no longer works").waitFor();
  }
});
