import { accessibilityViolations } from "@parley/web/accessibility";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Page, PeopleBrowser } from "./testing/people-browser.ts";
import { PeoplePlatform } from "./testing/people-platform.ts";

const PATIENT = { timeout: 60_000 };
let platform: PeoplePlatform;
let browser: PeopleBrowser;
beforeAll(async () => {
  platform = await PeoplePlatform.start({ PARLEY_OPERATORS: "ops@example.com" });
  browser = await PeopleBrowser.open(platform);
}, 300_000);
afterAll(async () => {
  await browser.close();
  await platform.stop();
});

/** The workspace page of a user who signs in on the way. */
async function workspaceOf(name: string, path = "/s/workspace", locale?: string): Promise<Page> {
  const page = await browser.newPage(locale);
  await page.goto(platform.url + path);
  await browser.signIn(page, name);
  return page;
}

const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** Calls the API with a key, like a program. */
async function byKey(secret: string, path = "/me"): Promise<number> {
  const headers = { Authorization: `Bearer ${secret}` };
  return (await fetch(`${platform.url}/api/v1${path}`, { headers })).status;
}

/** Checks layout and accessibility in both themes, in a wide and a narrow window. */
async function checkLooks(page: Page): Promise<void> {
  for (const width of [1_100, 360]) {
    await page.setViewportSize({ width, height: 760 });
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    const wide =
      "[...document.querySelectorAll('.workspace-page *')].filter((each) => !each.closest('.visually-hidden') && each.getBoundingClientRect().right > innerWidth + 1).map(({ outerHTML }) => outerHTML.slice(0, 80))";
    await expect.poll(() => page.evaluate(wide)).toEqual([]);
    expect(await accessibilityViolations(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 1_100, height: 760 });
}

it("an owner creates a workspace and invites by email address; the invited person joins by the link with the given role (S4.2)", {
  timeout: 240_000,
}, async () => {
  const ann = await workspaceOf("ann");
  await ann.getByRole("heading", { name: "ann", exact: true }).waitFor();
  await ann.getByRole("textbox", { name: "New workspace" }).fill("Team");
  await ann.keyboard.press("Enter");
  await ann.getByRole("heading", { name: "Team", exact: true }).waitFor();
  await section(ann, "Members").getByText("ann@example.com").waitFor();
  const invitations = section(ann, "Invitations");
  await invitations.getByRole("textbox", { name: "Email address" }).fill("bob@example.com");
  await invitations.getByRole("combobox", { name: "Role" }).selectOption("Viewer");
  await invitations.getByRole("button", { name: "Invite" }).click();
  await invitations.getByText("bob@example.com").waitFor();
  // A revocation can be undone.
  await invitations.getByRole("button", { name: "Revoke the invitation of bob@example.com" }).click();
  await invitations.getByText("No pending invitations.").waitFor();
  await ann.getByRole("button", { name: "Undo" }).click();
  await invitations.getByText("bob@example.com").waitFor();
  await checkLooks(ann);

  await ann.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await invitations.getByRole("button", { name: "Copy link" }).click();
  const copied = async () => String(await ann.evaluate("navigator.clipboard.readText()"));
  await expect.poll(copied).toMatch(/\/s\/join\/wsp_\w+$/);
  const link = await copied();

  const bob = await browser.newPage();
  await bob.goto(link);
  await browser.signIn(bob, "bob");
  await bob.waitForURL(`${platform.url}/s/`);
  const chosen = () => bob.getByRole("combobox", { name: "Workspace" }).inputValue();
  await expect.poll(chosen).toBe(link.split("/").at(-1));
  await bob.goto(`${platform.url}/s/workspace`);
  await section(bob, "Members").getByText("ann@example.com").waitFor();
  // Actions forbidden to viewers are not shown.
  for (const name of ["Invitations", "API keys", "Audit log"])
    expect([name, await section(bob, name).count()]).toEqual([name, 0]);
  expect(await section(bob, "Members").getByRole("combobox").count()).toBe(0);
  await checkLooks(bob);

  const eve = await browser.newPage();
  await eve.goto(link);
  await browser.signIn(eve, "eve");
  await eve.getByRole("heading", { name: "You’re not a member of this workspace" }).waitFor();
  await eve.getByText("eve@example.com").first().waitFor();
  expect(await accessibilityViolations(eve)).toEqual([]);

  await ann.reload();
  const members = section(ann, "Members");
  await members.getByRole("combobox", { name: "Role of bob" }).selectOption("Owner");
  await ann.getByText("bob is now: Owner").waitFor();
  await ann.getByRole("button", { name: "Undo" }).click();
  const bobsRole = () => members.getByRole("combobox", { name: "Role of bob" }).inputValue();
  await expect.poll(bobsRole, PATIENT).toBe("viewer");
  // The last owner stays.
  await members.getByRole("combobox", { name: "Role of ann" }).selectOption("Viewer");
  await members.getByRole("alert").filter({ hasText: "needs an owner" }).waitFor();

  // By keyboard alone: the button asks, Escape changes nothing, and Enter on the answer does it.
  await members.getByRole("button", { name: "Remove bob" }).focus();
  await ann.keyboard.press("Enter");
  const question = ann.getByRole("dialog", { name: "Remove bob" });
  await question.waitFor();
  expect(await accessibilityViolations(ann)).toEqual([]);
  await ann.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  expect(await members.getByText("bob@example.com").count()).toBe(1);
  await ann.keyboard.press("Enter");
  await question.getByRole("button", { name: "Remove" }).focus();
  await ann.keyboard.press("Enter");
  await members.getByText("bob@example.com").waitFor({ state: "detached" });
  await expect.poll(() => ann.evaluate("document.activeElement.id")).toBe("workspace-members");
  // A removed member is redirected to their personal workspace.
  await bob.getByRole("heading", { name: "bob", exact: true }).waitFor();
  expect(browser.pageErrors).toEqual([]);
});

it("keys are created and shown once, links listed and revoked, and the audit log records each action by kind and actor (S4.2)", {
  timeout: 240_000,
}, async () => {
  const page = await workspaceOf("cat", "/s/");
  const field = page.getByRole("textbox").first();
  await field.fill("What is shared");
  await field.press("Enter");
  await page.locator(".run-foot").waitFor();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("button", { name: "Create link" }).click();
  const address = await page.getByRole("textbox", { name: "Link", exact: true }).inputValue();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Workspace" }).click();

  const keys = section(page, "API keys");
  await keys.getByText("No keys yet.").waitFor();
  await keys.getByRole("textbox", { name: "Name" }).fill("ci");
  await keys.getByRole("combobox", { name: "Expires" }).selectOption("In 30 days");
  await keys.getByRole("button", { name: "Create key" }).click();
  const secret = (await keys.locator(".made-key code").textContent()) ?? "";
  expect(secret).toMatch(/^parley_[\w-]{51}$/);
  expect(await byKey(secret)).toBe(200);
  await checkLooks(page);
  await keys.getByRole("button", { name: "Done" }).click();
  await expect.poll(() => page.content()).not.toContain(secret.slice(15));
  await page.reload();
  await keys.getByText(`${secret.slice(0, 15)}…`).waitFor();
  expect(await page.content()).not.toContain(secret.slice(15));
  await keys.getByRole("button", { name: "Revoke the key ci" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await keys.getByText("No keys yet.").waitFor();
  expect(await byKey(secret)).toBe(401);

  const links = section(page, "Links to your conversations");
  await links.getByRole("link", { name: "What is shared" }).waitFor();
  await links.getByRole("button", { name: "Revoke the link to What is shared" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await links.getByText("No links yet.").waitFor();
  const token = address.split("#")[1] ?? "";
  const opened = await fetch(`${platform.url}/api/v1/shared`, { headers: { "X-Share-Token": token } });
  expect(opened.status).toBe(404);

  await page.reload();
  const audit = section(page, "Audit log");
  const entries = audit.getByRole("listitem");
  await expect.poll(() => entries.count(), PATIENT).toBe(5);
  await expect.poll(() => entries.first().textContent()).toContain("revoked a link to");
  await audit.getByRole("combobox", { name: "Type" }).selectOption("Keys");
  await expect.poll(() => entries.count(), PATIENT).toBe(2);
  await expect
    .poll(() => entries.allTextContents())
    .toEqual([expect.stringContaining("revoked the key"), expect.stringContaining("created the key")]);
  await audit.getByRole("searchbox", { name: "User" }).fill("nobody");
  await audit.getByText("No entries.").waitFor();
  await audit.getByRole("searchbox", { name: "User" }).fill("CAT");
  await expect.poll(() => entries.count(), PATIENT).toBe(2);
  // More than a page of them.
  const made = `Promise.all(Array.from({ length: 25 }, (_, n) => fetch("/api/v1/keys", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name: "n" + n }),
  })))`;
  await page.evaluate(made);
  await page.reload();
  await expect.poll(() => entries.count(), PATIENT).toBe(20);
  await audit.getByRole("button", { name: "Show older" }).click();
  await expect.poll(() => entries.count(), PATIENT).toBe(30);
  await audit.getByRole("button", { name: "Show older" }).waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(secret.slice(15));
  expect(browser.pageErrors).toEqual([]);
});

it("an operator sees that their role is set by configuration and can invite others, in German", {
  timeout: 240_000,
}, async () => {
  const page = await workspaceOf("ops", "/s/workspace", "de-DE");
  await page.getByRole("combobox", { name: "Arbeitsbereich wechseln" }).selectOption("default");
  await page.getByRole("heading", { name: "default", exact: true }).waitFor();
  const members = section(page, "Mitglieder");
  await members.getByText("vom Betreiber festgelegt").waitFor();
  expect(await members.getByRole("combobox").count()).toBe(0);
  await section(page, "Einladungen").getByRole("textbox", { name: "E-Mail-Adresse" }).fill("dan@example.com");
  await page.keyboard.press("Enter");
  await section(page, "Einladungen").getByText("dan@example.com").waitFor();
  await section(page, "Audit-Protokoll").getByText("hat sich angemeldet als").waitFor({ state: "detached" });
  await checkLooks(page);
  expect(browser.pageErrors).toEqual([]);
});
