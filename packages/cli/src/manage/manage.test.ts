import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { ApiClient } from "@parley/client";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { MAIN, parley } from "./testing/parley-process.ts";
import { PlayedPlatform } from "./testing/played-platform.ts";
import { cardAt } from "./testing/small-agent.ts";

const platform = new PlayedPlatform();
// Many processes run one after the other, beside those of other tests.
vi.setConfig({ testTimeout: 180_000 });

/** A session in which a question was answered. */
async function answered(content: string, title = content): Promise<string> {
  const client = new ApiClient({ baseUrl: platform.url });
  const { session } = await client.createSession({ title });
  await client.postMessage(session.id, { content });
  await expect
    .poll(async () => (await client.listRuns({ sessionId: session.id })).runs[0]?.status, { timeout: 60_000 })
    .toBe("completed");
  return session.id;
}

describe("parley init", () => {
  it("creates a folder that `up` serves, whose agent answers through the supervisor with its own tool (S0.20)", async () => {
    const id = await answered("How many apples are in stock?");
    const { out } = await platform.run(["sessions", "show", id]);
    expect(out).toContain("12 apples are in stock.");
    expect(out).toContain("stock__get_stock succeeded");
    const { out: servers } = await platform.run(["mcp", "list"]);
    expect(servers).toMatch(/stock +stock +ready +stock__get_stock, stock__order_stock/);
    expect((await stat(join(platform.agents, ".gitignore"))).isFile()).toBe(true);
  });

  it("prints the next two commands, and overwrites nothing", async () => {
    const folder = await testFolder({ "mine/README.md": "my own" });
    const made = await parley(["init", "new one"], { folder });
    expect(made.out).toBe(`  parley up --agents 'new one'\n  parley chat "How many apples are in stock?"\n`);
    const refused = await parley(["init", "mine"], { folder });
    expect([refused.code, refused.err]).toEqual([
      2,
      "mine already contains README.md; choose another folder\n",
    ]);
    expect(await readFile(join(folder, "mine/README.md"), "utf8")).toBe("my own");
  });
});

describe("parley agents", () => {
  it("lists agents with their protocol and statistics (S4.25)", async () => {
    await answered("How many plums are in stock?");
    const { out, code } = await platform.run(["agents"]);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^name +state +dialect +skills +runs +failures\n/),
    ]);
    expect(out).toMatch(/^stock +up +1\.0 JSONRPC +Stock +[1-9]\d* +0$/m);
    const { agents } = JSON.parse((await platform.run(["agents", "list", "--json"])).out);
    expect(agents).toMatchObject([{ name: "stock", state: "up" }]);
  });

  it("adds, disables, enables, removes and restores an agent", async () => {
    const url = await cardAt();
    const added = await platform.run(["agents", "add", url, "--name", "small"]);
    expect([added.code, added.out]).toEqual([0, expect.stringContaining("✓ small")]);
    for (const [change, shown] of [
      ["disable", /^small +disabled/m],
      ["enable", /^small +(up|starting)/m],
      ["remove", /^(?!small)/],
      ["restore", /^small +(up|starting)/m],
    ] as const) {
      expect((await platform.run(["agents", change, "small"])).code).toBe(0);
      const { out } = await platform.run(["agents", "list"]);
      expect(out).toMatch(shown);
      if (change === "remove") expect(out).not.toContain("small");
    }
    expect((await platform.run(["agents", "check", "small"])).out).toContain("A2A 1.0 JSONRPC");
    await platform.run(["agents", "remove", "small"]);
  });

  it("shows errors, and adds a faulty agent only with --yes", async () => {
    const url = await cardAt(() => ({ version: undefined, description: "\x1b[2Jclear" }));
    const refused = await platform.run(["agents", "add", url, "--name", "faulty"]);
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain("✗ error at $.version");
    expect(refused.err).toContain("--yes");
    expect(refused.err).not.toContain("\x1b");
    expect((await platform.run(["agents", "check", "faulty"])).code).toBe(1);
    expect((await platform.run(["agents", "check", url])).code).toBe(1);
    expect((await platform.run(["agents", "add", url, "--name", "faulty", "--yes"])).code).toBe(0);
    await platform.run(["agents", "remove", "faulty"]);
  });

  it.each([
    ["y\r", 0],
    ["n\r", 1],
    ["\x03", 130],
  ])("asks for confirmation at a terminal; the answer %j exits with %i", async (answer, code) => {
    const url = await cardAt(() => ({ version: undefined }));
    const terminal = spawn(process.execPath, [MAIN, "agents", "add", url, "--name", "asked"], {
      env: { ...bareEnvironment(), NO_COLOR: "1", PARLEY_URL: platform.url },
    });
    onTestFinished(() => terminal.kill());
    const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
    let shown = "";
    terminal.onData((text) => {
      if (!shown.includes("[y/N]") && (shown + text).includes("[y/N]")) terminal.write(answer);
      shown += text;
    });
    expect([await ended, shown]).toEqual([code, expect.stringContaining("error at $.version")]);
    const { agents } = await new ApiClient({ baseUrl: platform.url }).listAgents();
    expect(agents.some(({ name }) => name === "asked")).toBe(code === 0);
    if (code === 0) await platform.run(["agents", "remove", "asked"]);
  });

  it("passes credentials by the names of the card's schemes, and repeats no secret", async () => {
    const url = await cardAt(() => ({
      securitySchemes: {
        token: { httpAuthSecurityScheme: { scheme: "Bearer" } },
        login: { httpAuthSecurityScheme: { scheme: "Basic" } },
      },
      securityRequirements: [{ schemes: { token: { list: [] } } }],
    }));
    const folder = await testFolder({ secret: "me:canary-5d1c\n" });
    const add = (...auth: readonly string[]) =>
      parley(["agents", "add", url, "--name", "safe", ...auth.flatMap((one) => ["--auth", one])], {
        environment: { PARLEY_URL: platform.url, TOKEN: "canary-5d1c" },
        folder,
      });
    for (const [auth, said] of [
      ["canary-5d1c", "--auth must be SCHEME=SECRET"],
      ["other=canary-5d1c", "it has token, login"],
      ["login=canary-5d1c", "login needs user:password"],
      ["token=env:MISSING", "MISSING is not set"],
      ["token=@missing", "Cannot read missing: no such file"],
    ] as const) {
      const refused = await add(auth);
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(said)]);
      expect(refused.err).not.toContain("canary");
    }
    const added = await add("token=env:TOKEN", "login=@secret");
    expect([added.code, added.err]).toEqual([0, expect.stringContaining("Added")]);
    const { out } = await platform.run(["agents", "--json"]);
    expect(JSON.parse(out).agents).toContainEqual(
      expect.objectContaining({ name: "safe", hasCredentials: true }),
    );
    expect(out + added.out + added.err).not.toContain("canary");
    await platform.run(["agents", "remove", "safe"]);
  });
});

describe("parley sessions", () => {
  it("shows, forks, exports, imports, searches, deletes and restores by a prefix of the id (S4.16, S4.30)", async () => {
    const id = await answered("How many pears are in stock?", "Pears \x1b]0;owned\x07today");
    const beginning = id.slice(0, 12);
    const shown = await platform.run(["sessions", "show", beginning, "--events"]);
    expect(shown.out).toContain("3 pears are in stock.");
    expect(shown.out).toMatch(/^ +1 .*session_created/m);
    expect([shown.out.includes("\x1b"), shown.out.includes("\x07")]).toEqual([false, false]);
    const { session, messages, runs, events } = JSON.parse(
      (await platform.run(["sessions", "show", id, "--json", "--events"])).out,
    );
    expect([session.id, messages.length, runs.length, events.length]).toEqual([id, 2, 1, session.revision]);

    const atMessage = await platform.run([
      "sessions",
      "fork",
      id,
      "--at",
      messages[0].id,
      "--title",
      "first",
    ]);
    const atEvent = await platform.run(["sessions", "fork", id, "--event", "2", "--json"]);
    expect(JSON.parse(atEvent.out).messages).toHaveLength(1);
    expect((await platform.run(["sessions", "show", id])).out).toContain(`fork  ${atMessage.out.trim()}`);

    const file = join(await testFolder(), "kept.jsonl");
    expect((await platform.run(["sessions", "export", id, "-o", file])).code).toBe(0);
    expect((await platform.run(["sessions", "export", id, "-o", file])).err).toContain("it already exists");
    const exported = await readFile(file, "utf8");
    expect((await platform.run(["sessions", "export", id])).out).toBe(exported);
    expect((await platform.run(["sessions", "export", id, "--format", "markdown"])).out).toContain("## User");
    const imported = (await platform.run(["sessions", "import", "-"], exported)).out.trim();
    expect((await platform.run(["sessions", "show", imported])).out).toContain("3 pears are in stock.");

    expect((await platform.run(["sessions", "search", "many", "pears"])).out).toContain(id);
    expect((await platform.run(["sessions", "delete", beginning])).code).toBe(0);
    expect((await platform.run(["sessions", "list", "--status", "deleted"])).out).toContain(id);
    expect((await platform.run(["sessions", "show", id])).err).toMatch(/^The session was deleted/);
    expect((await platform.run(["sessions", "restore", beginning])).code).toBe(0);
    expect((await platform.run(["sessions", "show", id])).code).toBe(0);
  });

  it("lists in pages, and lists the candidates of an ambiguous prefix", async () => {
    const client = new ApiClient({ baseUrl: platform.url });
    for (const n of [1, 2, 3, 4, 5, 6, 7])
      await client.createSession({ id: `ses_cafe${String(n).padStart(28, "0")}`, title: `twin ${n}` });
    const page = JSON.parse((await platform.run(["sessions", "list", "--limit", "3", "--json"])).out);
    expect(page.sessions).toHaveLength(3);
    const next = JSON.parse(
      (await platform.run(["sessions", "list", "--limit", "3", "--json", "--cursor", page.next])).out,
    );
    expect(next.sessions.map(({ id }: { id: string }) => id)).not.toContain(page.sessions[0].id);
    const several = await platform.run(["sessions", "show", "cafe"]);
    expect(several.code).toBe(2);
    expect(several.err).toMatch(
      /^Several session ids start with cafe:\n( {2}ses_cafe\d+ {2}twin \d\n){5} {2}…\n$/,
    );
    expect((await platform.run(["sessions", "show", `cafe${"7".padStart(28, "0")}`])).out).toContain(
      "twin 7",
    );
  });
});

describe("parley logs", () => {
  it("shows the server's log by level and time, as text and as JSON", async () => {
    await answered("How many apples are in stock?");
    const { out } = await platform.run(["logs", "-n", "1000"]);
    expect(out).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} INFO {2}run ended sessionId=\S+/m);
    const lines = (await platform.run(["logs", "--json", "--since", "1h"])).out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).msg)).toContain("listening");
    expect((await platform.run(["logs", "--level", "fatal"])).out).toBe("");
    expect((await platform.run(["logs", "-n", "2"])).out.trimEnd().split("\n")).toHaveLength(2);
    expect((await platform.run(["logs", "--since", "2999-01-01"])).out).toBe("");
  });
});

describe("parley backup and restore", () => {
  it("copy a running platform into one file, and from there into another folder", async () => {
    const id = await answered("How many apples are in stock?");
    const { out: exported } = await platform.run(["sessions", "export", id]);
    const made = await platform.run(["backup", "safe.tar.gz"]);
    expect([made.code, made.out]).toEqual([0, `${join(platform.folder, "safe.tar.gz")}\n`]);
    expect((await platform.run(["restore", "safe.tar.gz", "--force"])).err).toContain("is in use by process");
    const restored = await platform.run(["restore", "safe.tar.gz", "--data", "other", "--json"]);
    expect(JSON.parse(restored.out)).toMatchObject({
      journal: "sqlite",
      dataFolder: join(platform.folder, "other"),
    });
    const again = await platform.run(["restore", "safe.tar.gz", "--data", "other"]);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("holds data already")]);
    expect(exported).toContain("12 apples");
    await writeFile(join(platform.folder, "broken.tar.gz"), "nothing");
    expect((await platform.run(["restore", "broken.tar.gz", "--data", "third"])).err).toContain(
      "not a whole backup",
    );
  });
});
