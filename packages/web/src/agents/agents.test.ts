import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, say } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";
import { AskingAgent } from "./testing/asking-agent.ts";

const fixture = webFixture({ agents: ["calculator"] });
let painter: AskingAgent;
beforeAll(async () => {
  painter = await AskingAgent.start();
});
afterAll(() => painter[Symbol.asyncDispose]());

describe("the agents page", { timeout: 180_000 }, () => {
  it("shows agents with skills, health and statistics, and starts a chat with one (S4.25, +9)", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/agents`);
    const card = page.getByRole("article", { name: "calculator" });
    await card.getByText("up", { exact: true }).waitFor();
    await card.getByRole("list", { name: "Skills" }).getByText("Arithmetic").waitFor();
    await card.getByText("Not used yet.").waitFor();
    await card.getByRole("button", { name: "Chat" }).click();
    await page.getByRole("button", { name: "Agent: calculator. Choose another" }).waitFor();
    await say(page, "What is 6 times 7?");
    expect(await answered(page)).toContain("42");
    await page.getByRole("button", { name: "Agent: calculator. Choose another" }).click();
    await page.getByRole("link", { name: "About the agents" }).click();
    await card.getByText("active in this conversation").waitFor();
    await card.locator(".figures").getByText("Asked").waitFor();
    expect(await card.locator(".figures dd").first().textContent()).toBe("1");
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("article", { name: "supervisor" }).getByRole("button").click();
    await page.getByRole("button", { name: "Agent: supervisor. Choose another" }).waitFor();
  });

  it("adds an agent by its URL after validation, with a token that is never shown again", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/agents`);
    await page.getByRole("button", { name: "Add agent" }).click();
    const dialog = page.getByRole("dialog", { name: "Add agent" });
    await dialog.getByRole("textbox", { name: "Agent URL" }).fill("http://localhost:9/");
    await dialog.getByRole("button", { name: "Check" }).click();
    await dialog.locator(".bad").waitFor();
    await dialog.getByRole("button", { name: "Add anyway" }).waitFor();
    await dialog.getByRole("textbox", { name: "Agent URL" }).fill(painter.url);
    await dialog.getByRole("textbox", { name: "Display name" }).fill("painter");
    await dialog.getByRole("button", { name: "Check" }).click();
    await dialog.getByText("Paints in any colour.").waitFor();
    await dialog.getByRole("region", { name: "Agent card issues" }).getByText("tags").first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByLabel("token: token").fill("s3cr3t");
    await dialog.getByRole("button", { name: "Check" }).click();
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    const card = page.getByRole("article", { name: "painter" });
    await card.getByText("up", { exact: true }).waitFor();
    await card.getByText("Details").click();
    await card.getByText("Saved (hidden)").waitFor();
    expect(await page.content()).not.toContain("s3cr3t");
    await card.getByRole("button", { name: "Remove" }).click();
    await card.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await card.waitFor();
    await card.getByRole("button", { name: "Disable" }).click();
    await card.getByText("disabled").waitFor();
    await card.getByRole("button", { name: "Enable" }).click();
    await card.getByText("up", { exact: true }).waitFor();
  });

  it("shows an agent's plain question, which is answered in words (+7)", async () => {
    const page = await fixture().newPage();
    await page.goto(`${fixture().url}/s/agents`);
    await page.getByRole("article", { name: "painter" }).getByRole("button", { name: "Chat" }).click();
    await page.waitForURL(/\/s\/ses_/);
    await say(page, "Paint the door");
    const question = page.locator(".approval.waiting");
    await question.getByText("Which colour?").waitFor();
    expect(await question.getByRole("button", { name: "Approve" }).count()).toBe(0);
    await question.getByRole("textbox", { name: "Your answer" }).fill("Blue");
    await question.getByRole("button", { name: "Reply" }).click();
    expect(await answered(page)).toContain("Blue it is.");
    expect([...painter.tokens]).toEqual(["Bearer s3cr3t"]);
  });

  it("logs no page errors", () => {
    expect(fixture().troubles).toEqual([]);
  });
});
