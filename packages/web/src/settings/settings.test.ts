import { describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const KEY = "sk-ant-test-nothing";
const fixture = webFixture({
  agents: ["calculator", "git"],
  environment: { ANTHROPIC_API_KEY: KEY },
});

type MarkerUse = "put" | "get";

/** Puts something into the browser's database, as the client does, or looks whether it is there. */
function markerInCache(what: MarkerUse): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("parley");
    opening.onupgradeneeded = () => opening.result.createObjectStore("bags");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const store = opening.result.transaction("bags", "readwrite").objectStore("bags");
      const request = what === "put" ? store.put({ isKept: true }, "marker") : store.get("marker");
      request.onsuccess = () => {
        opening.result.close();
        resolve(what === "put" ? undefined : request.result);
      };
    };
  });
}

describe("the settings", { timeout: 180_000 }, () => {
  it("show the model, which keys are set but not their values, and tool servers with the reason if one is down", async () => {
    const page = await fixture().newPage();
    const heard: string[] = [];
    page.on("response", async (response) => {
      if (response.url().includes("/api/v1/settings")) heard.push(await response.text());
    });
    await page.goto(`${fixture().url}/s/settings`);
    const model = page.getByRole("region", { name: "Model" });
    await model.getByText("API key: set").waitFor();
    await model.getByText("Set OPENAI_API_KEY").waitFor();
    await model.getByRole("button", { name: "Test connection: offline" }).click();
    await model.getByText(/Responded in \d+ ms/).waitFor();
    const tools = page.getByRole("region", { name: "Tool servers" });
    await tools.getByText("ready").first().waitFor();
    // This fixture does not configure the git tools.
    await tools.locator(".bad").filter({ hasText: "git" }).first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect([heard.length > 0, heard.join("").includes(KEY), (await page.content()).includes(KEY)]).toEqual([
      ...[true, false, false],
    ]);
  });

  it("set a budget for new conversations, and report an invalid one (+5)", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/settings`);
    const seconds = page.getByRole("textbox", { name: "Seconds" });
    await seconds.fill("soon");
    await page.getByText("Enter a whole number above 0, or leave empty.").waitFor();
    await seconds.fill("30");
    await seconds.blur();
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.reload();
    await expect.poll(() => seconds.inputValue()).toBe("30");
    await ask(page, fixture().url, "What is 1+1?");
    await answered(page);
    const id = page.url().split("/").at(-1);
    const { session } = await (await fetch(`${fixture().url}/api/v1/sessions/${id}`)).json();
    expect(session.metadata.config).toEqual({ budget: { timeMs: 30_000 } });
  });

  it("clear browser storage, except for unsent messages", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/settings`);
    await page.evaluate<unknown, MarkerUse>(markerInCache, "put");
    expect(await page.evaluate<unknown, MarkerUse>(markerInCache, "get")).toEqual({ isKept: true });
    const cache = page.getByRole("region", { name: "Offline data" });
    await Promise.all([page.waitForEvent("load"), cache.getByRole("button", { name: "Clear" }).click()]);
    expect(await page.evaluate<unknown, MarkerUse>(markerInCache, "get")).toBeUndefined();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await fixture().killServer();
    await page.getByRole("link", { name: "New conversation" }).click();
    await page.getByRole("textbox").fill("Not sent yet");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/s\/ses_/);
    await page.getByRole("link", { name: "Settings" }).click();
    await cache.getByText("have not reached the server yet").waitFor();
    expect(await cache.getByRole("button", { name: "Clear" }).isDisabled()).toBe(true);
    await fixture().startServer();
    await expect
      .poll(() => cache.getByRole("button", { name: "Clear" }).isEnabled(), { timeout: 60_000 })
      .toBe(true);
  });
});
