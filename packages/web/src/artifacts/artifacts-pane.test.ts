import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { exchange, importedSession } from "../testing/imported-session.ts";
import { webGround } from "../testing/web-ground.ts";

const ground = webGround({ agents: ["calculator"] });
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** A session whose answer came with files of every kind, one of them in a blob. */
async function withFiles(): Promise<string> {
  const uploaded = await fetch(`${ground().url}/api/v1/files`, {
    ...{ method: "POST", body: "kept in a blob" },
    headers: { "Content-Type": "text/plain", "X-File-Name": "kept.txt" },
  });
  const { file } = (await uploaded.json()) as { readonly file: { readonly id: string } };
  const parts = [
    { raw: base64("# Report\n\n- all **well**"), filename: "report.md", mediaType: "text/markdown" },
    { data: { rows: [1, 2] } },
    { raw: PIXEL, filename: "pixel.png", mediaType: "image/png" },
    { raw: base64("<script>alert(1)</script>"), filename: "evil.svg", mediaType: "image/svg+xml" },
    { blob: file.id, size: 14, filename: "kept.txt", mediaType: "text/plain" },
    { raw: "!!!", filename: "broken.txt", mediaType: "text/plain" },
    { url: "http://127.0.0.1:1/far.png", filename: "far.png", mediaType: "image/png" },
    { raw: base64("MZ"), filename: "setup.exe", mediaType: "application/x-msdownload" },
  ];
  const work = [{ type: "agent_artifact", payload: { artifactId: "a", name: "figures", parts } }];
  return importedSession(ground().url, exchange(1, { answer: "See the files.", work }));
}

describe("files beside the conversation", { timeout: 120_000 }, () => {
  it("are shown as far as they can be trusted, stored as they are, and gone with Escape", async () => {
    const page = await ground().newPage();
    await page.goto(await withFiles());
    await page.locator(".file-chip").getByText("report.md").click();
    const pane = page.getByRole("complementary", { name: "Files" });
    await pane.locator("strong").getByText("well").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    const choose = (name: string) => pane.locator(".artifact-names").getByText(name).click();
    await choose("figures");
    await pane.getByText('"rows"').waitFor();
    await choose("pixel.png");
    await expect
      .poll(() => pane.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth), {
        timeout: 15_000,
      })
      .toBe(1);
    await choose("evil.svg");
    await pane.locator("pre").getByText("<script>alert(1)</script>").waitFor();
    expect(await pane.locator("img").count()).toBe(0);
    await choose("broken.txt");
    await pane.getByText("cannot be read").waitFor();
    await choose("far.png");
    await pane.getByText("lies elsewhere").waitFor();
    await choose("setup.exe");
    await pane.getByText("not shown here").waitFor();
    await choose("kept.txt");
    await pane.locator("pre").getByText("kept in a blob").waitFor();
    const coming = page.waitForEvent("download");
    await pane.getByRole("button", { name: "Download" }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe("kept.txt");
    expect(await readFile(await download.path(), "utf8")).toBe("kept in a blob");
    // The address is a link to this very file.
    await page.reload();
    await pane.locator("pre").getByText("kept in a blob").waitFor();
    await page.keyboard.press("Escape");
    await pane.waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("");
  });

  it("are a sheet on a narrow screen, and go back to where they were opened", async () => {
    const page = await ground().newPage({ viewport: { width: 360, height: 740 } });
    await page.goto(await withFiles());
    const chip = page.locator(".file-chip").filter({ hasText: "report.md" });
    await chip.click();
    const pane = page.getByRole("complementary", { name: "Files" });
    await pane.locator("strong").getByText("well").waitFor();
    const box = await pane.boundingBox();
    expect([box?.x, box?.width]).toEqual([0, 360]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(await accessibilityViolations(page)).toEqual([]);
    await pane.getByRole("button", { name: "Close" }).click();
    await pane.waitFor({ state: "detached" });
    expect(await chip.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it("has had no error in any page", () => {
    expect(ground().troubles).toEqual([]);
  });
});
