import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({ agents: ["argocd", "calculator"] });
const BOTH = "What is the version of Argo CD, and what is 6 times 7?";

const PATIENTLY = { timeout: 60_000 };
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const copying = () => fixture().newPage({ permissions: ["clipboard-read", "clipboard-write"] });
const bar = (page: Page, name: RegExp) => page.locator(".waterfall").getByRole("button", { name });

describe("the trace of an answer", { timeout: 180_000 }, () => {
  it("shows steps, agents, tools and turns as bars, parallel ones side by side, each linked to its events", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, BOTH);
    await answered(page);
    await page.getByRole("link", { name: "Trace" }).click();
    await page.waitForURL(/\/s\/ses_\w+\/trace\/run_/);
    const [one, other] = [bar(page, /^Agent argocd/), bar(page, /^Agent calculator/)];
    const boxes = await Promise.all([one, other].map((row) => row.locator(".bar").boundingBox()));
    const [from, to] = [
      Math.max(...boxes.map((box) => box?.x ?? 0)),
      Math.min(...boxes.map((box) => (box?.x ?? 0) + (box?.width ?? 0))),
    ];
    expect(from).toBeLessThan(to);
    for (const name of [/^Run supervisor/, /^Step/, /^Model turn 1/, /^Tool .*version/, /^Tool .*evaluate/])
      await bar(page, name).first().waitFor();
    await page.locator(".run-figures").getByText("First token").waitFor();
    await bar(page, /^Tool .*evaluate/).click();
    await page.getByText(/^2 of \d+ events/).waitFor();
    await page.locator(".event-json").getByText('"tool": ').waitFor();
    await expect.poll(() => page.locator(".event-row").count()).toBe(2);
    expect(await accessibilityViolations(page)).toEqual([]);
    // The link leads others to the same event.
    await page.reload();
    await page.locator(".event-json").getByText('"tool": ').waitFor();
    await page.getByRole("link", { name: "Back to conversation" }).click();
    expect(await answered(page)).toContain("42");
  });

  it("is navigable by keyboard only, and finds events by type, agent and text", async () => {
    const page = await copying();
    await ask(page, fixture().url, BOTH);
    await answered(page);
    await page.getByRole("link", { name: "Trace" }).click();
    await bar(page, /^Run supervisor/).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/span=/);
    await page.getByRole("button", { name: /^Only/ }).click();
    await page.locator(".event-row").first().focus();
    await page.keyboard.press("End");
    await page.locator('.event-row[aria-current="true"]').getByText("agent_complete").waitFor();
    await page.locator(".inspector-head").getByLabel("Type").selectOption("agent_tool_call");
    await page
      .locator(".inspector-head")
      .getByLabel(/^Agent/)
      .selectOption("calculator");
    await page.getByLabel("Search events").fill("evaluate");
    await page.getByText(/^1 of \d+ events/).waitFor();
    await page.locator(".event-row").click();
    await page.getByRole("button", { name: "Copy JSON" }).click();
    await expect
      .poll(async () => JSON.parse(await clipboard(page)), PATIENTLY)
      .toMatchObject({ type: "agent_tool_call", payload: { agent: "calculator" } });
    await page.getByRole("button", { name: "Copy link" }).click();
    await expect.poll(() => clipboard(page), PATIENTLY).toMatch(/\/trace\/run_[\w-]+\?event=\d+$/);
  });

  it("reports an unknown run, and unreadable events", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 6 times 7?");
    await answered(page);
    await page.goto(`${page.url()}/trace/run_none`);
    await page.getByText("Run not found").waitFor();
  });
});

describe("a tool line", { timeout: 180_000 }, () => {
  it("expands to arguments, result, raw events, and a working shell command", async () => {
    const page = await copying();
    await ask(page, fixture().url, BOTH);
    await answered(page);
    await page.getByText("2 agents").click();
    const lane = page.getByRole("article", { name: "calculator" });
    await lane.locator(".call:not(.inner) > summary").click();
    await lane.getByRole("button", { name: "Raw events" }).click();
    await lane.locator(".call-more pre").getByText('"type": "agent_tool_result"').waitFor();
    await lane.getByRole("button", { name: "Copy as curl" }).click();
    await expect.poll(() => clipboard(page), PATIENTLY).toContain("curl ");
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", await clipboard(page)]);
    expect(stdout).toContain("42");
    expect(await accessibilityViolations(page)).toEqual([]);
    // Both agents' own calls are there, though their ids are the same.
    expect(await page.locator(".call.inner").count()).toBe(2);
    await lane.locator(".call.inner > summary").click();
    await lane.locator(".call.inner").getByText("42").first().waitFor();
    await lane.locator(".call.inner").getByRole("link", { name: "Show in trace" }).click();
    await page.waitForURL(/span=call-\d+/);
    const chosen = page.locator('.bar-row[aria-pressed="true"]');
    await chosen.getByText(/evaluate/).waitFor();
    expect(await chosen.count()).toBe(1);
    await page.locator(".event-json").getByText('"parentCallId": ').waitFor();
  });

  it("logs no page errors", () => {
    expect(fixture().troubles).toEqual([]);
  });
});
