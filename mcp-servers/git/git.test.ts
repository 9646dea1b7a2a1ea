import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { shippedServer } from "../testing/shipped-server.ts";
import { demoRepository } from "./demo-repository.ts";
import { runGit } from "./git-command.ts";

async function repository() {
  const folder = await testFolder();
  await demoRepository(folder);
  return { folder, ...(await shippedServer("git", [folder])) };
}

describe("the git server", () => {
  it("has only read-only tools, and declares them so", async () => {
    const { servers } = await repository();
    expect(servers.tools().map(({ tool }) => tool)).toEqual([
      ...["status", "log", "show", "diff", "branches", "blame", "grep"],
    ]);
    for (const tool of servers.tools()) {
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        idempotentHint: true,
        destructiveHint: false,
      });
      expect(tool.description.length).toBeGreaterThan(40);
    }
  });

  it("lists the history of the repository and of a file", async () => {
    const { call } = await repository();
    const { text, structured } = await call("log", {});
    expect(text.split("\n").map((line) => line.replace(/^- \S+ /, ""))).toEqual([
      "2026-01-15 Demo: The soup needs garlic",
      "2026-01-13 Demo: Add a soup",
      "2026-01-12 Demo: Start the recipe book",
    ]);
    expect(structured).toMatchObject({
      commits: [{ author: "Demo", subject: "The soup needs garlic" }, {}, {}],
    });
    expect((await call("log", { path: "soups", limit: 1 })).text).toContain("garlic");
    expect((await call("log", { search: "RECIPE" })).text).toContain("Start the recipe book");
    expect((await call("log", { author: "nobody" })).text).toBe("There are no such commits.");
  });

  it("shows commits, files, diffs, blame and search results", async () => {
    const { call } = await repository();
    expect((await call("show", { revision: "HEAD" })).text).toContain("+- 2 cloves of garlic");
    expect((await call("show", { revision: "HEAD~1", path: "soups/tomato.md" })).text).not.toContain(
      "garlic",
    );
    expect((await call("diff", { from: "HEAD~2", to: "HEAD~1" })).text).toContain("+- 1 onion");
    expect((await call("blame", { path: "soups/tomato.md", from: 5, to: 5 })).text).toMatch(/Demo.*garlic/);
    expect((await call("grep", { text: "ONION", ignoreCase: true })).structured).toEqual({
      matches: [{ path: "soups/tomato.md", line: 4, text: "- 1 onion" }],
    });
    expect((await call("grep", { text: "no such words" })).text).toBe("The text is nowhere.");
    expect((await call("branches")).structured).toMatchObject({
      branches: [{ name: "main", current: true }],
    });
  });

  it("shows uncommitted changes", async () => {
    const { call, folder } = await repository();
    expect((await call("status")).text).toContain("Nothing is changed.");
    await writeFile(join(folder, "README.md"), "# Other\n");
    await writeFile(join(folder, "new file.md"), "");
    expect((await call("status")).structured).toEqual({
      branch: "main",
      files: [
        { state: "M", path: "README.md" },
        { state: "??", path: "new file.md" },
      ],
    });
    expect((await call("diff", {})).text).toContain("+# Other");
    expect((await call("diff", { staged: true })).text).toBe("Nothing differs.");
    await runGit(folder, ["add", "README.md"]);
    expect((await call("diff", { staged: true })).text).toContain("+# Other");
  });

  it.each([
    ["show", { revision: "--output=stolen" }],
    ["log", { revision: "--output=stolen" }],
    ["log", { revision: "-n1" }],
    ["diff", { from: "--no-index" }],
    ["diff", { from: "HEAD", to: "--output=stolen" }],
    ["diff", { to: "HEAD" }],
    ["blame", { path: "README.md", revision: "--contents=/etc/passwd" }],
    ["show", { revision: "HEAD", path: "../../../etc/passwd" }],
    ["log", { path: "/etc" }],
    ["log", { path: ":(top)README.md" }],
    ["blame", { path: "no/such/file" }],
    ["show", { revision: "HEAD; touch stolen" }],
    ["show", { revision: "$(touch stolen)" }],
    ["show", { revision: "no-such-branch" }],
    ["show", { revision: "" }],
  ])("refuses %s with %j, without any effect", async (tool, input) => {
    const { call, folder } = await repository();
    const { failed, text } = await call(tool, input);
    expect(failed).toBe(true);
    expect(text.length).toBeGreaterThan(10);
    expect(existsSync(join(folder, "stolen"))).toBe(false);
  });

  it("treats text that looks like an option or a pattern as text", async () => {
    const { call, folder } = await repository();
    for (const text of ["--open-files-in-pager=touch stolen", "-O", ".*", "--output=stolen"]) {
      expect((await call("grep", { text })).text).toBe("The text is nowhere.");
      expect((await call("log", { search: text })).text).toBe("There are no such commits.");
    }
    expect(existsSync(join(folder, "stolen"))).toBe(false);
  });

  it("runs no program that the repository's own settings name", async () => {
    const { call, folder } = await repository();
    const touch = `touch ${join(folder, "stolen")}`;
    await runGit(folder, ["config", "core.fsmonitor", touch]);
    await runGit(folder, ["config", "diff.external", touch]);
    await runGit(folder, ["config", "diff.evil.textconv", touch]);
    await runGit(folder, ["config", "diff.evil.command", touch]);
    await runGit(folder, ["config", "gpg.program", touch]);
    await runGit(folder, ["config", "log.showSignature", "true"]);
    await runGit(folder, ["config", "core.pager", touch]);
    await writeFile(join(folder, ".gitattributes"), "*.md diff=evil\n");
    await writeFile(join(folder, "README.md"), "# Other\n");
    for (const [tool, input] of [
      ["status", {}],
      ["diff", {}],
      ["log", {}],
      ["show", {}],
      ["grep", { text: "onion" }],
      ["blame", { path: "README.md" }],
    ] as const) {
      expect(await call(tool, input)).toMatchObject({ failed: false });
    }
    expect(existsSync(join(folder, "stolen"))).toBe(false);
  });

  it("creates a demo repository once if the folder is not one", async () => {
    const plain = await testFolder();
    const demo = join(plain, "deep", "demo");
    const first = await shippedServer("git", [plain, demo]);
    expect((await first.call("log")).text).toContain("Add a soup");
    const second = await shippedServer("git", [plain, demo]);
    expect((await second.call("log")).structured).toEqual((await first.call("log")).structured);
  });

  it("does not start without a repository, and reports why", async () => {
    const plain = await testFolder();
    await expect(shippedServer("git", [plain])).rejects.toThrow(/not a git repository|not the top/);
    await expect(shippedServer("git")).rejects.toThrow(/Usage/);
  });
});
