import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { sharedChromium } from "@parley/testing/chromium.ts";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { systemTool } from "@parley/testing/system-tool.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ApiClient } from "./sessions/testing/api-client.ts";
import { type CleanClone, cleanClone } from "./testing/clean-clone.ts";

const run = promisify(execFile);
const PATIENCE_MS = 240_000;
/** The platform's port, and those of its agents after it. */
const PORTS = 12;

describe("a new user's first five minutes: a clean clone, an empty home, the README's two commands", {
  timeout: PATIENCE_MS,
}, () => {
  let clone: CleanClone;
  let url: string;
  let server: ChildProcess;
  let printed = "";
  beforeAll(async () => {
    clone = await cleanClone();
    const port = await freePortRange(PORTS);
    url = `http://localhost:${port}`;
    server = spawn("npm", ["start"], {
      cwd: clone.folder,
      env: { ...clone.environment, PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [server.stdout, server.stderr]) stream?.on("data", (text) => (printed += text));
    while (!/^ {2}try/m.test(printed)) {
      if (server.exitCode !== null) throw new Error(`npm start ended: ${printed}`);
      await Promise.race([once(server, "close"), once(server.stdout ?? server, "data")]);
    }
  }, PATIENCE_MS);
  afterAll(async () => {
    server.kill("SIGKILL");
    await clone.remove();
  }, PATIENCE_MS);

  it("npm start prints its URL, its agents and what to try (S0.1)", () => {
    expect(printed).toContain(`✓ Parley     ${url}`);
    expect(printed).toMatch(/^✓ agents {5}supervisor :\d+ · argocd :\d+ · calculator/m);
    expect(printed).not.toContain("✗");
  });

  it("a question by curl is answered (S0.20)", async () => {
    systemTool("curl");
    const parts = [{ kind: "text", text: "show argocd version" }];
    const params = { message: { role: "user", messageId: "m1", parts } };
    const body = JSON.stringify({ id: "1", method: "message/stream", params });
    const { stdout } = await run("curl", ["-sN", url, "-H", "Content-Type: application/json", "-d", body]);
    expect(stdout).toContain("v3.1.8+becb020");
  });

  it("a question on the command line is answered", async () => {
    const question = ["run", "--silent", "parley", "--", "chat", "--server", url, "show argocd version"];
    const asked = run("npm", question, { cwd: clone.folder, env: { ...clone.environment } });
    asked.child.stdin?.end();
    const { stdout } = await asked;
    expect(stdout).toContain("v3.1.8+becb020");
  });

  it("a question in the browser is answered, by a click on a starter (S0.19)", async () => {
    const browser = await sharedChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(url);
    await page.getByRole("button", { name: "Investigate" }).click();
    await page.getByText("checkout (shop): OutOfSync").first().waitFor();
  });

  it("a new agent is one file, and the supervisor forwards its answer", async () => {
    const file =
      "---\ndescription: Knows the price of a coffee.\nmcpServers: [calculator]\napproval: always\n---\nYou are a barista.\n";
    await writeFile(join(clone.folder, "agents/barista.md"), file);
    const api = new ApiClient(url);
    const state = async () => (await api.agents()).find(({ name }) => name === "barista")?.state;
    await expect.poll(state, { timeout: PATIENCE_MS }).toBe("up");
    const id = await api.create();
    await api.post(id, "ask the barista: what is 3 * 2.80?");
    const { events, messages } = await api.ended(id, PATIENCE_MS);
    expect(messages.at(-1)?.content).toContain("8.4");
    const { steps } = events.findLast(({ type }) => type === "agent_plan")?.payload ?? {};
    expect(steps).toMatchObject([{ agent: "barista", state: "completed" }]);
  });

  it("Ctrl-C ends it, and leaves nothing in the clone but its data", async () => {
    const ended = once(server, "close");
    server.kill("SIGINT");
    await ended;
    const { stdout } = await run("git", ["status", "--porcelain"], { cwd: clone.folder });
    expect(stdout).toBe("?? agents/barista.md\n");
  });
});
