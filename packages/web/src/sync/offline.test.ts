import { isGapless, linesIn, Story } from "@parley/testing/story.ts";
import { afterAll, describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask, kept, lastAnswer, saidSoFar, say, shellKept } from "../testing/asking.ts";
import { recordedAnswer, recordedRequests, unspaced } from "../testing/recorded-answer.ts";
import { ScriptedAgent } from "../testing/scripted-agent.ts";
import { webGround } from "../testing/web-ground.ts";

const agent = await ScriptedAgent.start();
afterAll(() => agent[Symbol.asyncDispose]());
const ground = webGround({ agents: [], peers: { speaker: agent.url } });

describe("without a network", { timeout: 180_000 }, () => {
  it("history can be read, what is said waits visibly, and is delivered once when the network is back (invariant 19)", async () => {
    agent.script = () => ["Yes."];
    const page = await ground().newPage();
    await ask(page, ground().url, "say yes");
    await answered(page);
    await kept(page, "Yes.");
    const first = page.url();
    await ask(page, ground().url, "say it again");
    await answered(page);
    await page.context().setOffline(true);
    await page.getByText("Offline", { exact: true }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "say yes" }).click();
    await page.waitForURL(first);
    await lastAnswer(page).getByText("Yes.").waitFor();
    await say(page, "say one");
    await say(page, "say two");
    await page.getByText(/Offline – 2 messages wait/).waitFor();
    await page.locator(".user-message").nth(1).getByText("waiting for the network").waitFor();
    expect(await recordedRequests(page)).toEqual(["say yes"]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.context().setOffline(false);
    await expect
      .poll(() => recordedRequests(page), { timeout: 40_000 })
      .toEqual(["say yes", "say one", "say two"]);
    await expect.poll(() => page.locator(".message-state").count(), { timeout: 40_000 }).toBe(0);
    expect(await page.locator(".user-message").count()).toBe(3);
  });
});

describe("a server that is away", { timeout: 180_000 }, () => {
  it("in mid-answer: what came stays to be read, and goes on where it was when the server is back (S4.13)", async () => {
    const story = new Story();
    agent.script = () => story;
    const page = await ground().newPage();
    await ask(page, ground().url, "say a story");
    await saidSoFar(page, "Line 5 of");
    await ground().killServer();
    await page.getByText(/The server cannot be reached – trying again/).waitFor();
    const lines = linesIn((await lastAnswer(page).textContent()) ?? "");
    expect(isGapless(lines)).toBe(true);
    expect(lines.length).toBeGreaterThanOrEqual(5);
    story.end();
    await ground().startServer();
    await page.locator(".run-foot").waitFor();
    await expect
      .poll(async () => unspaced((await lastAnswer(page).textContent()) ?? ""))
      .toBe(unspaced(await recordedAnswer(page)));
    expect(await page.locator(".connection-line").count()).toBe(0);
  });

  it("for an hour: everything stays readable, and what is said waits and is delivered once", async () => {
    agent.script = () => ["Yes."];
    const page = await ground().newPage();
    await page.clock.install();
    await ask(page, ground().url, "say yes");
    await answered(page);
    await ground().killServer();
    await page.getByText(/The server cannot be reached/).waitFor();
    await say(page, "say more");
    for (let minutes = 0; minutes < 60; minutes += 5) await page.clock.fastForward("05:00");
    await page.getByText(/The server cannot be reached – .*1 message waits/).waitFor();
    await lastAnswer(page).getByText("Yes.").waitFor();
    await ground().startServer();
    await page.clock.resume();
    await page.locator(".run").nth(1).locator(".answer-text").getByText("Yes.").waitFor();
    expect(await recordedRequests(page)).toEqual(["say yes", "say more"]);
  });

  it("when a page is opened, for an hour: history can be read, drafts stay, what is said waits and is delivered once (S4.12, invariant 19)", async () => {
    agent.script = () => ["Yes."];
    const page = await ground().newPage();
    await ask(page, ground().url, "say yes");
    await answered(page);
    await kept(page, "Yes.");
    await shellKept(page);
    await page.getByRole("textbox").pressSequentially("Half a thought");
    await ground().killServer();
    await page.clock.install();
    await page.reload();
    await page.getByText(/The server cannot be reached – trying again/).waitFor();
    await lastAnswer(page).getByText("Yes.").waitFor();
    const link = page.getByRole("navigation").getByRole("link", { name: "say yes" }).first();
    await link.waitFor();
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Half a thought");
    await say(page, "say more");
    await page.locator(".user-message").nth(1).waitFor();
    for (let minutes = 0; minutes < 60; minutes += 5) await page.clock.fastForward("05:00");
    await page.reload();
    await page.getByText(/The server cannot be reached – .*1 message waits/).waitFor();
    await page.locator(".user-message", { hasText: "say more" }).waitFor();
    expect(await page.getByRole("textbox").inputValue()).toBe("");
    expect(await accessibilityViolations(page)).toEqual([]);
    // From the very start, and on screens that were not looked at before.
    await page.goto(`${ground().url}/`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.goto(`${ground().url}/s/settings`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await link.click();
    await page.locator(".user-message", { hasText: "say more" }).waitFor();
    await ground().startServer();
    await page.clock.resume();
    await page.locator(".run").nth(1).locator(".answer-text").getByText("Yes.").waitFor();
    expect(await recordedRequests(page)).toEqual(["say yes", "say more"]);
    expect(await page.locator(".connection-line").count()).toBe(0);
  });

  it("is not stood in for by what was kept once it is back, and nothing of its API is kept", async () => {
    const page = await ground().newPage();
    await page.goto(`${ground().url}/s/`);
    await shellKept(page);
    await page.reload();
    const policy = await page.evaluate(async () =>
      (await fetch("/s/")).headers.get("content-security-policy"),
    );
    expect(policy).toContain("script-src 'self'");
    const paths = await page.evaluate(async () => {
      const names = await caches.keys();
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return all.flat().map(({ url }) => new URL(url).pathname);
    });
    expect(paths.filter((path) => path !== "/s/" && !path.startsWith("/s/assets/"))).toEqual([]);
    expect(paths.length).toBeGreaterThan(10);
  });

  it("and comes back with nothing that it had: that is noticed and said, in every tab (S4.13)", async () => {
    agent.script = () => ["Yes."];
    const page = await ground().newPage();
    for (const text of ["say yes", "say more"]) {
      await ask(page, ground().url, text);
      await answered(page);
    }
    const other = await ground().newTab(page);
    await other.goto(page.url());
    await answered(other);
    await ground().resetServer();
    for (const tab of [page, other]) {
      await tab.getByText(/The server has another record/).waitFor();
      await tab.getByText("There is no such conversation here.").waitFor();
      expect(await tab.getByRole("navigation").getByRole("link", { name: "say yes" }).count()).toBe(0);
    }
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByText(/The server has another record/).waitFor({ state: "detached" });
    // And it works on.
    await ask(page, ground().url, "say yes");
    await answered(page);
  });

  it("and comes back as another with a longer list: that is noticed too, and nothing that was written is lost (S4.13)", async () => {
    agent.script = () => ["Yes."];
    const page = await ground().newPage();
    await ask(page, ground().url, "say yes");
    await answered(page);
    await shellKept(page);
    const old = page.url();
    await ground().killServer();
    await page.getByText(/The server cannot be reached/).waitFor();
    await say(page, "say what was never sent");
    await page.getByRole("textbox").pressSequentially("Half a thought");
    await page.goto("about:blank");
    await ground().resetServer();
    // Somebody else makes more of it than there was.
    const other = await ground().newPage();
    for (const text of ["say one", "say two", "say three"]) {
      await ask(other, ground().url, text);
      await answered(other);
    }
    await page.goto(old);
    await page.getByText(/The server has another record/).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "say three" }).waitFor();
    expect(await page.getByRole("navigation").getByRole("link", { name: "say yes" }).count()).toBe(0);
    await page.getByText("There is no such conversation here.").waitFor();
    await page.getByText(/Not delivered, .*“say what was never sent”/).waitFor();
    const unsent = page.locator(".unsent");
    await unsent.getByText("Half a thought").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await unsent.getByRole("button", { name: "Send it in a new conversation" }).click();
    await lastAnswer(page).getByText("Yes.").waitFor();
    expect(await page.locator(".user-text").allTextContents()).toEqual(["say what was never sent"]);
    await page.goto(old);
    await unsent.getByRole("button", { name: "Go on with it" }).click();
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Half a thought");
  });
});
