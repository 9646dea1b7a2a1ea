import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { ask } from "../testing/asking.ts";
import { exchange, type ImportedEvent, importedSession } from "../testing/imported-session.ts";
import { webFixture } from "../testing/web-fixture.ts";

const CODE = "const answer: number = 6 * 7;";
const ANSWER = `## First\n\n\`\`\`ts\n${CODE}\n\`\`\`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n#### Then\n\n$$\n\\frac{a}{b}\n$$\n\n![far](http://away.invalid/i.png)`;
const fixture = webFixture({ agents: ["files"], files: { "rich.md": ANSWER } });
const thought = (artifactId: string, text: string): readonly ImportedEvent[] => [
  { type: "agent_token_start", payload: { artifactId, channel: "thinking" } },
  { type: "agent_token", payload: { artifactId, text } },
  { type: "agent_token_end", payload: { artifactId } },
];

describe("an answer", { timeout: 180_000 }, () => {
  it("shows highlighted code with a copy button, tables and math, under ordered headings, without remote images", async () => {
    const page = await fixture().newPage({ permissions: ["clipboard-read", "clipboard-write"] });
    const strangers: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(fixture().url)) strangers.push(request.url());
    });
    await ask(page, fixture().url, "What is in rich.md?");
    await page.locator(".md-token-keyword", { hasText: "const" }).waitFor();
    await page.locator(".md-math-set mfrac").waitFor();
    await page.getByRole("table").getByRole("cell", { name: "2" }).waitFor();
    await page.locator(".md-copy").click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(CODE);
    const headings = await page
      .locator("main :is(h1, h2, h3, h4, h5, h6):visible")
      .evaluateAll((all) => all.map(({ localName }) => Number(localName.slice(1))));
    expect(headings).toEqual([1, 2, 3, 4]);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(strangers).toEqual([]);
  });

  it("shows thinking collapsed, and expands it", async () => {
    const page = await fixture().newPage();
    // The offline model thinks nothing that could be shown.
    const work = thought("thought", "They want a number.");
    await page.goto(await importedSession(fixture().url, exchange(1, { answer: "42", work })));
    const thinking = page.locator(".thinking");
    await thinking.locator("summary").waitFor();
    expect(await page.getByText("They want a number.").isVisible()).toBe(false);
    await thinking.locator("summary").click();
    await page.getByText("They want a number.").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it("logs no page errors", () => expect(fixture().troubles).toEqual([]));
});
