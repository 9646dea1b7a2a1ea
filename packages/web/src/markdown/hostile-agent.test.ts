import { ScriptedAgent } from "@parley/testing/scripted-agent.ts";
import { afterAll, expect, it } from "vitest";
import { answered, ask } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";
import { hostileMarkdown } from "./testing/hostile-markdown.ts";

const agent = await ScriptedAgent.start();
afterAll(() => agent[Symbol.asyncDispose]());
const fixture = webFixture({ agents: [], peers: { speaker: agent.url } });

it("200 XSS payloads from an agent, each split over chunks, run nothing and fetch nothing in the product itself", {
  timeout: 180_000,
}, async () => {
  expect(new Set(hostileMarkdown).size).toBeGreaterThanOrEqual(200);
  const text = hostileMarkdown.join("\n\n");
  agent.script = () => text.match(/[\s\S]{1,37}/gu) ?? [];
  const page = await fixture().newPage();
  const [dialogs, strangers]: string[][] = [[], []];
  page.on("dialog", (dialog) => {
    dialogs?.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(fixture().url)) strangers?.push(request.url());
  });
  await page.addInitScript(() => {
    const trouble: string[] = [];
    Object.assign(window, { trouble, pwn: () => trouble.push("ran") });
    document.addEventListener("securitypolicyviolation", (event) => trouble.push(event.violatedDirective));
  });
  await ask(page, fixture().url, "say <img src=x onerror=pwn()>");
  await answered(page);
  // Also where it is read again: from the cache, as a title, in the trace, in the search, in the past.
  const trouble = () => page.evaluate(() => (window as unknown as { trouble: string[] }).trouble);
  const session = page.url();
  for (const look of [
    () => page.reload(),
    () => page.goto(`${session}/trace`),
    () => page.goto(`${session}/branches`),
    () => page.goto(`${session}?event=8`),
    () => page.goto(session),
  ]) {
    await look();
    await page.getByRole("main").getByRole("heading").first().waitFor();
    await page.locator(".session-link").first().waitFor();
    expect(await trouble()).toEqual([]);
  }
  await page.locator(".run-foot").waitFor();
  await page.locator(".answer-text").evaluate((root) => {
    for (const node of root.querySelectorAll("*"))
      for (const type of ["mouseover", "focus", "pointerenter", "toggle", "error", "load", "click"])
        if (type !== "click" || node.localName !== "a")
          node.dispatchEvent(new Event(type, { bubbles: true }));
  });
  expect([await trouble(), dialogs, strangers]).toEqual([[], [], []]);
  const inert = await page
    .locator(".answer-text a")
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).protocol));
  expect(inert.filter((protocol) => !/^(https?|mailto):$/.test(protocol))).toEqual([]);
  expect(
    await page.locator(".answer-text :is(script, iframe, object, embed, img, style, form)").count(),
  ).toBe(0);
  expect(fixture().troubles).toEqual([]);
});
