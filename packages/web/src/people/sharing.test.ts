import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask, say } from "../testing/asking.ts";
import { webGround } from "../testing/web-ground.ts";

const ground = webGround({ agents: ["calculator"] });

/** A conversation, and the address of a link to it. */
async function sharedBy(page: Page): Promise<string> {
  await ask(page, ground().url, "What is 6 times 7?");
  await answered(page);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("There is no link yet.").waitFor();
  await page.getByRole("button", { name: "Make a link" }).click();
  return page.getByRole("textbox", { name: "Link", exact: true }).inputValue();
}

it("a conversation is shared by a link, read as it goes on and as it was, and revoked (S4.2)", {
  timeout: 180_000,
}, async () => {
  const page = await ground().newPage();
  const address = await sharedBy(page);
  expect(address).toMatch(/\/s\/shared#[\w-]{43}$/);
  expect(await accessibilityViolations(page)).toEqual([]);
  const asked: string[] = [];
  const reader = await ground().newPage();
  reader.on("request", (request) => void asked.push(request.url()));
  await reader.goto(address);
  await reader.getByText("42").first().waitFor();
  await reader.getByRole("log").getByText("What is 6 times 7?").waitFor();
  expect(await accessibilityViolations(reader)).toEqual([]);
  // What is behind the # goes to no server, and there is nothing to be done here.
  const token = address.split("#")[1] ?? "none";
  expect(asked.filter((url) => url.includes("/api/") && url.includes(token))).toEqual([]);
  expect(asked.filter((url) => /\/api\/v1\/(?!shared)/.test(url))).toEqual([]);
  expect(await reader.getByRole("textbox").count()).toBe(0);
  await page.keyboard.press("Escape");
  await say(page, "What is 6 times 8?");
  await answered(page);
  await reader.getByText("48").first().waitFor();
  await reader.getByRole("slider").fill("2");
  await reader.getByText("48").first().waitFor({ state: "detached" });
  await reader.getByRole("button", { name: "Back to now" }).click();
  await reader.getByText("48").first().waitFor();
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("There is no link yet.").waitFor();
  await reader.getByText("This link does not open anything any more").waitFor();
  expect(await accessibilityViolations(reader)).toEqual([]);
  await reader.reload();
  await reader.getByText("This link does not open anything any more").waitFor();
});

it("an address without a token, or with a wrong one, says so", { timeout: 180_000 }, async () => {
  for (const token of ["", "#wrong"]) {
    const reader = await ground().newPage();
    await reader.goto(`${ground().url}/s/shared${token}`);
    await reader.getByText("This link does not open anything any more").waitFor();
  }
});
