import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask } from "../testing/asking.ts";
import { exchange, importedSession } from "../testing/imported-session.ts";
import { webFixture } from "../testing/web-fixture.ts";

const BOX = resolve(import.meta.dirname, "../testing/file-tools.ts");
const fixture = webFixture({
  agents: ["calculator", "charts"],
  ownAgents: {
    box: `---
description: Fetches the files out of the box.
mcpServers: [{ box: { command: node, args: [${JSON.stringify(BOX)}] } }]
approval: always
---
You fetch files.
`,
  },
});

/** A conversation whose answer came with files of every kind, one of them in a blob. */
async function withFiles(page: Page): Promise<void> {
  await ask(page, fixture().url, "Fetch the files out of the box");
  expect(await answered(page)).toContain("See the files.");
}

describe("the artifacts pane", { timeout: 180_000 }, () => {
  it("previews files safely, downloads them unchanged, and closes on Escape", async () => {
    const page = await fixture().newPage();
    await withFiles(page);
    await page.locator(".file-chip").getByText("report.md").click();
    const pane = page.getByRole("complementary", { name: "Files" });
    await pane.locator("strong").getByText("well").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    const choose = (name: string) => pane.locator(".artifact-names").getByText(name).click();
    await choose("figures.json");
    await pane.getByText('"rows"').waitFor();
    await choose("image.png");
    await expect
      .poll(() => pane.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth), {
        timeout: 60_000,
      })
      .toBe(1);
    await choose("broken.svg");
    await pane.locator("pre").getByText("<script>alert(1)</script>").waitFor();
    expect(await pane.locator("img").count()).toBe(0);
    await choose("page.html");
    await pane.locator("pre").getByText("<script>alert(2)</script>").waitFor();
    await choose("far.png");
    await pane.getByText("hosted elsewhere").waitFor();
    await choose("setup.exe");
    await pane.getByText("No preview available").waitFor();
    await choose("kept.txt");
    await pane.locator("pre").getByText("kept in a blob").waitFor();
    const coming = page.waitForEvent("download");
    await pane.getByRole("button", { name: "Download" }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe("kept.txt");
    expect((await readFile(await download.path(), "utf8")).slice(0, 20)).toBe("kept in a blob xxxxx");
    // The address is a link to this very file.
    await page.reload();
    await pane.locator("pre").getByText("kept in a blob").waitFor();
    await page.keyboard.press("Escape");
    await pane.waitFor({ state: "detached" });
    await page.waitForURL((url) => url.search === "");
  });

  it("is a sheet on a narrow screen, and returns focus when closed", async () => {
    const page = await fixture().newPage({ viewport: { width: 360, height: 740 } });
    await withFiles(page);
    const chip = page.locator(".file-chip").filter({ hasText: "report.md" });
    await chip.click();
    const pane = page.getByRole("complementary", { name: "Files" });
    await pane.locator("strong").getByText("well").waitFor();
    await expect.poll(() => pane.boundingBox()).toMatchObject({ x: 0, width: 360 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(await accessibilityViolations(page)).toEqual([]);
    await pane.getByRole("button", { name: "Close" }).click();
    await pane.waitFor({ state: "detached" });
    await expect.poll(() => chip.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it("shows a tool's files with its answer, and in a branch that starts with that", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "Draw a chart of 3, 5, 8");
    expect(await answered(page)).toBe(
      "Here is a bar chart of 3 values from 3 to 8, as a picture and as a table.",
    );
    const chips = page.locator(".file-chip .file-name");
    await expect.poll(() => chips.allTextContents()).toEqual(["chart.svg", "chart.csv"]);
    await page.locator(".file-chip").first().click();
    const pane = page.getByRole("complementary", { name: "Files" });
    const picture = pane.getByRole("img", { name: "chart.svg" });
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(640);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    const parent = page.url();
    await page.locator(".run").last().getByRole("button", { name: "Fork from here" }).click();
    await page.waitForURL((url) => url.href !== parent);
    await expect.poll(() => chips.allTextContents()).toEqual(["chart.svg", "chart.csv"]);
    await page.locator(".file-chip").last().click();
    await pane.locator("pre").getByText("label,value").waitFor();
  });

  it("renders active content as an image or text only, also in its own window", async () => {
    const page = await fixture().newPage();
    const strangers: string[] = [];
    // What the policy forbids is heard of here too, and goes nowhere; the page may give up requests of its own.
    page.context().on("requestfailed", (request) => {
      if (!request.url().startsWith(fixture().url)) strangers.push(request.failure()?.errorText ?? "");
    });
    await withFiles(page);
    await page.locator(".file-chip").getByText("hostile.svg").click();
    const picture = page.getByRole("complementary", { name: "Files" }).locator("img");
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(8);
    // As who opens the picture in a tab of its own: it has the page's origin there, and the page's policy.
    const opening = page.context().waitForEvent("page");
    await picture.evaluate((image: HTMLImageElement) => void window.open(image.src));
    const opened = await opening;
    await opened.waitForLoadState();
    await opened.locator("rect").waitFor();
    expect(await page.evaluate(() => localStorage.getItem("run"))).toBe(null);
    await expect.poll(() => strangers).toContain("csp");
    expect(new Set(strangers)).toEqual(new Set(["csp"]));
    await opened.close();
  });

  it("reports unreadable files", async () => {
    // No agent of ours sends what is not base64, or names a file that is not here: an import may.
    const parts = [
      { raw: "!!!", filename: "broken.txt", mediaType: "text/plain" },
      { data: { rows: [1, 2] } },
    ];
    const work = [{ type: "agent_artifact", payload: { artifactId: "a", name: "figures", parts } }];
    const page = await fixture().newPage();
    await page.goto(await importedSession(fixture().url, exchange(1, { answer: "See the files.", work })));
    await page.locator(".file-chip").getByText("broken.txt").click();
    const pane = page.getByRole("complementary", { name: "Files" });
    await pane.getByText("can’t be read").waitFor();
    await pane.locator(".artifact-names").getByText("figures").click();
    await pane.getByText('"rows"').waitFor();
  });

  it("logs no page errors", () => {
    expect(fixture().troubles).toEqual([]);
  });
});
