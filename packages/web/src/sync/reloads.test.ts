import { isGapless, linesIn, Story } from "@parley/testing/story.ts";
import { afterAll, describe, expect, it } from "vitest";
import { answered, ask, lastAnswer, saidSoFar, say } from "../testing/asking.ts";
import { recordedAnswer, unspaced } from "../testing/recorded-answer.ts";
import { ScriptedAgent } from "../testing/scripted-agent.ts";
import { webGround } from "../testing/web-ground.ts";

const agent = await ScriptedAgent.start();
afterAll(() => agent[Symbol.asyncDispose]());
const ground = webGround({ agents: [], peers: { speaker: agent.url } });

const RELOADS = 20;

describe("a page that is reloaded", { timeout: 180_000 }, () => {
  it("loses nothing of an answer and repeats nothing, at 20 random moments of its stream (S4.12, S4.13)", async () => {
    const story = new Story();
    agent.script = () => story;
    const page = await ground().newPage();
    await ask(page, ground().url, "say a story");
    const moments: number[] = [];
    while (moments.length < RELOADS) {
      const next = (moments.at(-1) ?? 0) + 1 + Math.floor(Math.random() * 10);
      await saidSoFar(page, `Line ${next} of`);
      const lines = linesIn((await lastAnswer(page).textContent()) ?? "");
      expect([moments, lines, isGapless(lines)]).toEqual([moments, lines, true]);
      expect([moments, await page.locator(".run[aria-busy=true]").count()]).toEqual([moments, 1]);
      moments.push(lines.length);
      await page.reload();
    }
    await saidSoFar(page, `Line ${(moments.at(-1) ?? 0) + 1} of`);
    story.end();
    expect(unspaced(await answered(page))).toBe(unspaced(await recordedAnswer(page)));
    expect(isGapless(linesIn(await recordedAnswer(page)))).toBe(true);
    expect(await page.locator(".user-message").count()).toBe(1);
  });

  it("has what was written and not sent, each draft in its conversation (S4.12)", async () => {
    agent.script = () => ["Yes."];
    const page = await ground().newPage();
    await ask(page, ground().url, "say yes");
    await answered(page);
    const conversation = page.url();
    await page.getByRole("textbox").pressSequentially("Half a thought");
    await page.reload();
    const field = page.getByRole("textbox");
    await expect.poll(() => field.inputValue()).toBe("Half a thought");
    await page.goto(`${ground().url}/s/`);
    expect(await field.inputValue()).toBe("");
    await field.pressSequentially("Another");
    await page.goto(conversation);
    await expect.poll(() => field.inputValue()).toBe("Half a thought");
    await page.keyboard.press("Enter");
    await page.reload();
    await page.locator(".user-message").nth(1).waitFor();
    await page.locator(".run").nth(1).locator(".run-foot").waitFor();
    expect(await field.inputValue()).toBe("");
  });

  it("in the very moment of a send has it once, as a message and not as a draft (S4.12, invariant 19)", async () => {
    agent.script = () => ["Yes."];
    const page = await ground().newPage();
    const field = page.getByRole("textbox");
    for (let turn = 0; turn < 6; turn++) {
      await page.goto(`${ground().url}/s/`);
      await expect.poll(() => field.inputValue()).toBe("");
      await field.fill(`say ${turn}`);
      // Not even the answer to the key press is waited for.
      await page.evaluate(() => {
        document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        location.reload();
      });
      // It goes by its first words at once.
      const link = page.getByRole("navigation").getByRole("link", { name: `say ${turn}` });
      await link.waitFor();
      expect(await field.inputValue()).toBe("");
      await link.click();
      await page.locator(".run-foot").waitFor();
      expect(await page.locator(".user-text").allTextContents()).toEqual([`say ${turn}`]);
      expect(await field.inputValue()).toBe("");
    }
    const names = await page.locator(".session-link").allTextContents();
    const sent = names.filter((name) => /^say \d$/.test(name)).sort();
    expect(sent).toEqual(Array.from({ length: 6 }, (_, turn) => `say ${turn}`));
  });

  it("still has the next message in its queue, and sends it once when the answer is done (invariant 19)", async () => {
    const story = new Story();
    agent.script = (request) => (request.includes("story") ? story : ["Yes."]);
    const page = await ground().newPage();
    await ask(page, ground().url, "say a story");
    await saidSoFar(page, "Line 1 of");
    await say(page, "say yes");
    await page.locator(".outbox").getByText("say yes").waitFor();
    await page.reload();
    await page.locator(".outbox").getByText("say yes").waitFor();
    await saidSoFar(page, "Line 9 of");
    expect(await page.locator(".user-message").count()).toBe(1);
    story.end();
    await page.locator(".user-message").nth(1).waitFor();
    await page.locator(".run").nth(1).locator(".answer-text").getByText("Yes.").waitFor();
    expect(await page.locator(".outbox").count()).toBe(0);
    expect(await page.locator(".user-message").count()).toBe(2);
  });

  it("has had no error", () => expect(ground().troubles).toEqual([]));
});
