import { ApiClient, type DomainEvent } from "@parley/client";
import { patient } from "@parley/testing/patient.ts";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask, inOneLine, LONG_STORY } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";
import { EventLog } from "./event-log.ts";
import { longSession } from "./testing/long-session.ts";

/** At a pace at which no commit holds the whole story, however long one takes. */
const environment = { PARLEY_MODEL: "offline:400" };
const fixture = webFixture({
  agents: ["calculator", "files"],
  files: { "story.txt": LONG_STORY },
  environment,
});
const READ = "What is in story.txt?";

const client = () => new ApiClient({ baseUrl: fixture().url });
const sessionIn = (page: Page) => new URL(page.url()).pathname.split("/").at(-1) ?? "";
const moment = (page: Page) => page.getByRole("slider", { name: "Position" });
const placeIn = async (page: Page) => Number(await moment(page).inputValue());
const shownText = async (page: Page) =>
  inOneLine((await page.locator(".past .answer-text").last().textContent()) ?? "");

async function eventsOf(id: string): Promise<readonly DomainEvent[]> {
  return (await client().readSession(id)).events;
}

/** What the answer had come to at an event. */
function saidAt(events: readonly DomainEvent[], index: number): string {
  const channels = new Map<string, string>();
  let said = "";
  for (const event of events.slice(0, index)) {
    if (event.type === "agent_token_start") channels.set(event.payload.artifactId, event.payload.channel);
    if (event.type === "agent_token" && channels.get(event.payload.artifactId) === "answer")
      said += event.payload.text;
  }
  return inOneLine(said);
}

describe("time travel", { timeout: 180_000 }, () => {
  it("shows the exact state in the middle of an answer, and forks from there (+3)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, READ);
    await answered(page);
    const session = page.url();
    const events = await eventsOf(sessionIn(page));
    const middle = events.find(({ index }) => saidAt(events, index) !== "")?.index ?? 0;
    expect(saidAt(events, middle)).toContain("Line");
    expect(saidAt(events, middle)).not.toContain("Line 90 of");

    await page.getByRole("link", { name: "Time travel" }).click();
    await page.getByText(`Event ${events.length} of ${events.length}`).waitFor();
    await moment(page).fill(String(middle));
    await expect.poll(() => shownText(page)).toBe(saidAt(events, middle));
    expect(await page.getByRole("article", { name: "supervisor" }).getAttribute("aria-busy")).toBe("true");
    expect(await page.locator(".phase").getAttribute("data-phase")).toBe("writing");
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.waitForURL(`${session}?event=${middle}`);
    await page.reload();
    await expect.poll(() => shownText(page)).toBe(saidAt(events, middle));
    expect(await placeIn(page)).toBe(middle);

    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.waitForURL((url) => url.pathname !== new URL(session).pathname);
    await page.locator(".new-branch").waitFor();
    expect(await page.locator(".user-text").allTextContents()).toEqual([READ]);
    await page.goto(session);
    expect(await answered(page)).toContain(inOneLine(LONG_STORY));
    const parts = (await eventsOf(sessionIn(page))).slice(events.length).map(({ type }) => type);
    expect(parts).toEqual(["session_forked"]);
  });

  it("agrees with the server's own replay at every event (+3)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 6 times 7?");
    await answered(page);
    const id = sessionIn(page);
    const events = await eventsOf(id);
    const log = new EventLog(id);
    log.append(events);
    for (const { index } of events) {
      const [record, past] = [log.recordAt(index), await client().replay(id, index)];
      expect(record.messages).toEqual(past.messages);
      expect(record.title).toBe(past.session.title);
      expect(record.updatedAt).toBe(past.session.updatedAt);
      const runs = Object.values({ ...record.runs, ...record.active });
      expect(runs.map(({ id: run, status, plan }) => ({ run, status, plan }))).toEqual(
        past.runs.map(({ id: run, status, plan }) => ({ run, status, plan })),
      );
      const said = Object.values(record.active).map(({ texts }) =>
        Object.values(texts)
          .flatMap(({ channel, text }) => (channel === "answer" ? [text] : []))
          .join(""),
      );
      expect(said).toEqual(past.runs.flatMap(({ text }) => text ?? []));
    }
  });

  it("steps through events by keyboard, plays and pauses, and returns to the present (+3)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, READ);
    await answered(page);
    const session = page.url();
    await page.goto(`${session}?event=2`);
    await page.getByText(/^Event 2 of/).waitFor();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => placeIn(page)).toBe(3);
    await moment(page).focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => placeIn(page)).toBe(1);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await expect.poll(() => placeIn(page)).toBeGreaterThan(3);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Play" }).waitFor();
    const rested = await placeIn(page);
    await page.waitForURL(`${session}?event=${rested}`);
    await page.getByRole("button", { name: "max" }).click();
    await page.getByRole("button", { name: "Play" }).click();
    await expect.poll(() => shownText(page)).toContain(inOneLine(LONG_STORY));
    await page.getByRole("button", { name: "Play" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(session);
    await page.getByRole("button", { name: "Send" }).waitFor();
  });

  it("keeps its position while the session continues, and shows the new events afterwards (+3)", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 6 times 7?");
    const said = await answered(page);
    const session = page.url();
    await page.getByRole("link", { name: "Time travel" }).click();
    await page.waitForURL(/event=\d+/);
    const place = await placeIn(page);
    await client().postMessage(sessionIn(page), { content: "What is 2 times 3?" });
    await expect.poll(() => moment(page).getAttribute("max").then(Number)).toBeGreaterThan(place + 10);
    expect(await placeIn(page)).toBe(place);
    expect(await shownText(page)).toBe(said);
    await page.getByRole("button", { name: "Back to now" }).click();
    await page.waitForURL(session);
    await page.locator(".user-text").getByText("What is 2 times 3?").waitFor();
    await page.locator(".run").nth(1).locator(".answer-text").getByText("6").waitFor();
  });

  it("steps through 10,000 events without freezing (+3)", async () => {
    const { session } = await client().importSession({ content: longSession(10_000) });
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/${session.id}?event=5000`);
    await page.getByText(`Event 5000 of ${session.revision}`).waitFor();
    await page.getByText(/agent_token/).waitFor();
    const slowest = await page.evaluate(async () => {
      const slider = document.querySelector<HTMLInputElement>('input[type="range"]');
      if (!slider) throw new Error("There is no slider");
      const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
      const frames: number[] = [];
      let last = performance.now();
      // As a hand drags it: somewhere else in every frame, all over the session.
      for (let step = 0; step < 60; step++) {
        setValue?.call(slider, String(1 + ((step * 1_667) % 10_000)));
        slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
        await new Promise(requestAnimationFrame);
        frames.push(performance.now() - last);
        last = performance.now();
      }
      return frames.sort((one, other) => one - other).at(-4) ?? 0;
    });
    expect(slowest).toBeLessThan(patient(300));
    await moment(page).fill("9000");
    await page.getByText(/^Event 9000 of/).waitFor();
  });

  it("fits a screen of 360 pixels", async () => {
    const page = await fixture().newPage({ viewport: { width: 360, height: 640 } });
    await ask(page, fixture().url, "What is 12 times 12?");
    await answered(page);
    await page.goto(`${page.url()}?event=8`);
    await page.getByText(/^Event 8 of/).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it("logs no page errors", () => {
    expect(fixture().troubles).toEqual([]);
  });
});
