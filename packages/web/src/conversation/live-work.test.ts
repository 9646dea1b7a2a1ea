import { ScriptedAgent } from "@parley/testing/scripted-agent.ts";
import { linesIn } from "@parley/testing/story.ts";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask, lastAnswer, saidSoFar } from "../testing/asking.ts";
import { STORY_TELLING, storyOf } from "../testing/story-telling.ts";
import { webFixture } from "../testing/web-fixture.ts";

/** An agent that reads files of one kind. */
const reader = (kind: string) =>
  `---\ndescription: Reads ${kind}, and nothing else.\nmcpServers: [files]\napproval: always\n---\nYou read ${kind}.`;
const speaker = await ScriptedAgent.start();
afterAll(() => speaker[Symbol.asyncDispose]());
const fixture = webFixture({
  ...STORY_TELLING,
  agents: [],
  ownAgents: { tales: reader("tales"), songs: reader("songs") },
  files: { ...STORY_TELLING.files, "tale.txt": storyOf(450), "song.txt": storyOf(225) },
  peers: { speaker: speaker.url },
});
const BOTH = ["tales", "songs"];

const lane = (page: Page, agent: string) => page.getByRole("article", { name: agent, exact: true });
const linesOf = async (page: Page, agent: string) =>
  linesIn((await lane(page, agent).locator(".lane-text").textContent()) ?? "").length;

describe("while agents are at work", { timeout: 180_000 }, () => {
  it("the plan shows who does what, and parallel sub-agents stream side by side with visible progress (S0.19, +6)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "read the tale in tale.txt and read the song in song.txt");
    for (const agent of BOTH)
      await lane(page, agent).locator(".lane-text", { hasText: "Line 2 of" }).waitFor();
    // All of this while both still speak.
    expect(await page.locator(".run[aria-busy=true]").count()).toBe(1);
    await page.locator('.plan li[data-state="working"]').nth(1).waitFor();
    expect((await page.locator(".plan .who").allTextContents()).sort()).toEqual(BOTH.toSorted());
    await page.locator(".phase", { hasText: /tales.*songs|songs.*tales/ }).waitFor();
    expect(await page.locator('.call-line[data-state="running"]').count()).toBe(2);
    const boxes = await Promise.all(BOTH.map((agent) => lane(page, agent).boundingBox()));
    expect(boxes[0]?.y).toBe(boxes[1]?.y);
    expect(boxes[0]?.x).not.toBe(boxes[1]?.x);
    for (const agent of BOTH) {
      const before = await linesOf(page, agent);
      await expect.poll(() => linesOf(page, agent)).toBeGreaterThan(before);
    }
    // One is done before the other, and the checklist shows that.
    await page.locator('.plan li[data-state="completed"]').getByText("song.txt").waitFor();
    await page.locator('.plan li[data-state="working"]').getByText("tale.txt").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await answered(page);
    await page.getByText("2 agents").click();
    await page.locator(".plan li").nth(1).waitFor();
    expect(await page.locator('.plan li[data-state="completed"]').count()).toBe(2);
    expect(await page.locator('.call-line[data-state="running"]').count()).toBe(0);
  });

  it("a silent agent is shown by name with the seconds waited", async () => {
    let answer = () => {};
    const silent = new Promise<void>((resolve) => {
      answer = resolve;
    });
    speaker.script = async function* () {
      await silent;
      yield "At last.";
    };
    const page = await fixture().newPage();
    await ask(page, fixture().url, "say something");
    await page.locator(".phase", { hasText: "speaker" }).waitFor();
    await page.locator(".elapsed", { hasText: /^(?:[2-9]|\d\d+) s$/ }).waitFor();
    answer();
    expect(await answered(page)).toContain("At last.");
  });

  it("an agent that is silent for long is marked, until it sends something again", async () => {
    let answer = () => {};
    const silent = new Promise<void>((resolve) => {
      answer = resolve;
    });
    speaker.script = async function* () {
      yield "Wait. ";
      await silent;
      yield "Here I am.";
    };
    const page = await fixture().newPage();
    await page.clock.install();
    await ask(page, fixture().url, "say something");
    await saidSoFar(page, "Wait.");
    await page.clock.fastForward(40_000);
    await page.locator(".phase", { hasText: "No response for a while" }).waitFor();
    answer();
    expect(await answered(page)).toContain("Here I am.");
    await page.getByText("No response for a while").waitFor({ state: "hidden" });
  });

  it("an interrupted agent shows why, and Retry starts over", async () => {
    speaker.script = function* () {
      yield "I begin";
      throw new Error("interrupted: its machine was restarted");
    };
    const headers = { "content-type": "application/json" };
    const post = async (path: string, body: object) => {
      const response = await fetch(`${fixture().url}/api/v1${path}`, {
        ...{ method: "POST", headers, body: JSON.stringify(body) },
      });
      return response.json();
    };
    const { session } = await post("/sessions", { agent: "speaker" });
    await post(`/sessions/${session.id}/messages`, { content: "say it" });
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/${session.id}`);
    await page.locator(".run", { hasText: "Interrupted" }).getByText("its machine was restarted").waitFor();
    speaker.script = () => ["All of it."];
    await page.locator(".run-foot").getByRole("button", { name: "Retry" }).click();
    await lastAnswer(page).getByText("All of it.").waitFor();
  });

  it("screen readers get the answer sentence by sentence, in a log region", async () => {
    const page = await fixture().newPage();
    await page.addInitScript(() => {
      const heard: string[] = [];
      Object.assign(window, { heard });
      new MutationObserver(() => {
        const said = document.querySelector("[aria-live=polite].visually-hidden")?.textContent ?? "";
        if (said && heard.at(-1) !== said) heard.push(said);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    });
    await ask(page, fixture().url, "read the song in song.txt");
    await page.getByRole("log").waitFor();
    await answered(page);
    const heard = await page.evaluate(() => (window as unknown as { heard: string[] }).heard);
    expect(heard.length).toBeGreaterThan(1);
    for (const said of heard) expect(said).toMatch(/^Line \d+ of.*next\.$/s);
    const lines = linesIn(heard.join("\n"));
    expect(lines).toEqual(linesIn((await lastAnswer(page).textContent()) ?? ""));
  });

  it("a failed agent shows why and keeps its text; Retry starts over", async () => {
    speaker.script = function* () {
      yield "I begin";
      throw new Error("The paper is out");
    };
    const page = await fixture().newPage();
    await ask(page, fixture().url, "say it");
    await page.locator(".run", { hasText: "The paper is out" }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    speaker.script = () => ["All of it."];
    await page.locator(".run-foot").getByRole("button", { name: "Retry" }).click();
    await lastAnswer(page).getByText("All of it.").waitFor();
  });

  it("the page logs no errors", () => expect(fixture().troubles).toEqual([]));
});
