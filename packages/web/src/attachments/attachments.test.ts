import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({ agents: ["calculator"] });
const PATIENTLY = { timeout: 60_000 };
const chips = (page: Page) => page.locator(".attachment");
const note = (name: string, text = "a note") => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

/** As a browser does when files are dropped or pasted. */
async function hand(page: Page, kind: "drop" | "paste", name: string, size = 14): Promise<void> {
  await page.getByRole("textbox").evaluate(
    (field, given) => {
      const data = new DataTransfer();
      const content = given.name.padEnd(given.size);
      data.items.add(new File([content], given.name, { type: "text/plain" }));
      const about = { bubbles: true, cancelable: true };
      if (given.kind === "paste")
        field.dispatchEvent(new ClipboardEvent("paste", { ...about, clipboardData: data }));
      else
        for (const type of ["dragover", "drop"])
          field.dispatchEvent(new DragEvent(type, { ...about, dataTransfer: data }));
    },
    { kind, name, size },
  );
}

describe("attachments", { timeout: 180_000 }, () => {
  it("are chosen, dropped and pasted, can be removed, and are sent with the message", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/`);
    await page
      .locator('input[type="file"]')
      .setInputFiles([note("chosen.txt"), note("unwanted.txt", "another")]);
    await hand(page, "drop", "dropped.txt");
    await hand(page, "paste", "pasted.txt");
    await expect.poll(() => page.locator('.attachment[data-state="done"]').count(), PATIENTLY).toBe(4);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove unwanted.txt" }).click();
    await page.getByRole("textbox").fill("What is 6 times 7?");
    await page.keyboard.press("Enter");
    await answered(page);
    const sent = page.locator(".user-message .file-chip");
    expect(await sent.locator(".file-name").allTextContents()).toEqual([
      ...["chosen.txt", "dropped.txt", "pasted.txt"],
    ]);
    expect(await chips(page).count()).toBe(0);
    const coming = page.waitForEvent("download");
    await sent.filter({ hasText: "chosen.txt" }).click();
    expect((await coming).suggestedFilename()).toBe("chosen.txt");
  });

  it("are listed while the message waits for the network or for the previous answer", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/`);
    await page.getByRole("textbox").fill("What is 6 times 7?");
    await page.keyboard.press("Enter");
    await answered(page);
    await page.locator('input[type="file"]').setInputFiles(note("waiting.txt"));
    await page.locator('.attachment[data-state="done"]').waitFor();
    await page.context().setOffline(true);
    await page.getByText("Offline", { exact: true }).waitFor();
    await page.getByRole("textbox").fill("What is 6 times 8?");
    await page.keyboard.press("Enter");
    const waiting = page.locator(".user-message.pending");
    await waiting.getByText("Waiting for the network").waitFor();
    expect(await waiting.locator(".file-name").allTextContents()).toEqual(["waiting.txt"]);
    await page.getByRole("textbox").fill("What is 6 times 9?");
    await page.keyboard.press("Enter");
    await page.locator(".outbox, .user-message.pending").getByText("What is 6 times 9?").waitFor();
    await page.context().setOffline(false);
    await page.locator(".run").nth(1).locator(".answer-text").getByText("48").waitFor();
    expect(await page.locator(".user-message").nth(1).locator(".file-name").allTextContents()).toEqual([
      "waiting.txt",
    ]);
  });

  it("show why they cannot be sent: too large, empty, server unreachable; and are sent when it is back", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/`);
    const input = page.locator('input[type="file"]');
    await hand(page, "drop", "large.bin", 33 * 1_048_576);
    await chips(page).getByText("is larger than 21 MB").waitFor();
    await input.setInputFiles(note("empty.txt", ""));
    await chips(page).getByText("is empty").waitFor();
    await page.getByRole("button", { name: "Remove large.bin" }).click();
    await page.getByRole("button", { name: "Remove empty.txt" }).click();
    await fixture().killServer();
    await input.setInputFiles(note("later.txt"));
    await chips(page).getByText("can’t reach the server").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("textbox").fill("What is 6 times 7?");
    await page.keyboard.press("Enter");
    await page.getByText("A file is still uploading").waitFor();
    await fixture().startServer();
    await chips(page).getByRole("button", { name: "Retry" }).click();
    await expect.poll(() => page.locator('.attachment[data-state="done"]').count(), PATIENTLY).toBe(1);
    await page.getByRole("textbox").focus();
    await page.keyboard.press("Enter");
    await page.locator(".user-message").getByText("later.txt").waitFor();
  });

  it("cause no page errors except for the unreachable server", () => {
    expect(fixture().troubles.filter((trouble) => !/ERR_|Failed to load/.test(trouble))).toEqual([]);
  });
});
