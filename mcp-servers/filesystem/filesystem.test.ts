import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { shippedServer } from "../testing/shipped-server.ts";

const ANN = "a".repeat(32);
const BOB = "b".repeat(32);

async function files(env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "parley-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [home, others] = [join(folder, "home"), join(folder, "others")];
  mkdirSync(home);
  writeFileSync(join(home, "notes.md"), "Of the home folder");
  const { servers } = await shippedServer("filesystem", [home, others], env);
  const call = (tool: string, args: Record<string, unknown>, workspace?: string) =>
    servers.call(`it__${tool}`, args, workspace === undefined ? {} : { workspace });
  return { folder, home, others, call };
}

describe("the files server", () => {
  it("gives each workspace a folder that no other workspace sees", async () => {
    const { others, call } = await files();
    await call("write_file", { path: "secret.txt", content: "of Ann" }, ANN);
    expect((await call("read_text_file", { path: "secret.txt" }, ANN)).text).toBe("of Ann");
    for (const workspace of [undefined, BOB]) {
      const read = await call("read_text_file", { path: "secret.txt" }, workspace);
      expect([read.failed, read.text]).toEqual([true, expect.not.stringContaining("of Ann")]);
      expect((await call("search_files", { path: ".", pattern: "**/*" }, workspace)).text).not.toContain(
        "secret",
      );
    }
    expect((await call("read_text_file", { path: "notes.md" })).text).toBe("Of the home folder");
    expect((await call("read_text_file", { path: "notes.md" }, BOB)).failed).toBe(true);
    expect(readdirSync(others).sort()).toEqual([ANN, BOB]);
    expect((await call("read_text_file", { path: `../${ANN}/secret.txt` }, BOB)).failed).toBe(true);
  });

  it("reveals no path outside the folder", async () => {
    const { folder, call } = await files();
    const answers = [
      await call("read_text_file", { path: "nothing.txt" }, ANN),
      await call("read_text_file", { path: "../../package.json" }, ANN),
      await call("read_text_file", { path: "../x" }),
      await call("list_allowed_directories", {}),
      await call("search_files", { path: ".", pattern: "*.md" }),
      await call("write_file", { path: "no/such/folder.txt", content: "" }),
    ];
    for (const { text } of answers) expect(text).not.toContain(folder);
    expect(answers.map(({ failed }) => failed)).toEqual([true, true, true, false, false, true]);
    expect(answers[1]?.text).toBe("Access denied: that path is outside the folder");
    expect(answers[4]?.text).toBe("notes.md");
  });

  it("stops a search that takes too long, reports that, and keeps working", async () => {
    const { home, call } = await files({ FILES_CALL_MS: "1000" });
    writeFileSync(join(home, "a".repeat(60)), "");
    const pattern = `${"+(a|aa)".repeat(12)}b`;
    const { failed, text } = await call("search_files", { path: ".", pattern });
    expect([failed, text]).toEqual([
      true,
      "search_files took longer than 1 s and was stopped: name a smaller folder or a simpler pattern",
    ]);
    expect((await call("read_text_file", { path: "notes.md" })).text).toBe("Of the home folder");
  });
});
