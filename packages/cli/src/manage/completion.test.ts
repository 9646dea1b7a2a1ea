import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemTool } from "@parley/testing/system-tool.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { TerminalProcess } from "../talk/testing/terminal-process.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

function script(shell: string): string {
  return execFileSync(process.execPath, [MAIN, "completion", shell], { encoding: "utf8" });
}

const bash = script("bash");

/** What bash offers for the last of these words. */
function offered(...words: readonly string[]): string[] {
  const complete = `
    source <(printf '%s' "$0")
    complete -p parley >/dev/null || exit 1
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _parley; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = execFileSync("bash", ["--norc", "-c", complete, bash, "parley", ...words], {
    encoding: "utf8",
  });
  return said.trimEnd().split("\n");
}

describe("completion in bash", () => {
  it.each<[readonly string[], readonly string[]]>([
    [["ag"], ["agents", "agent"]],
    [["sess"], ["sessions"]],
    [["help", "bac"], [""]],
    [
      ["agents", "re"],
      ["remove", "restore"],
    ],
    [
      ["agents", "--server", "http://x", "re"],
      ["remove", "restore"],
    ],
    [["sessions", "export", "--fo"], ["--format"]],
    [
      ["sessions", "export", "abc", "--format", ""],
      ["jsonl", "markdown"],
    ],
    [["logs", "--level", "w"], ["warn"]],
    [["completion", "z"], ["zsh"]],
    [["backup", ""], [""]],
    [["restore", "--data", ""], [""]],
  ])("offers for parley %j: %j", (words, expected) => {
    expect(offered(...words).sort()).toEqual([...expected].sort());
  });

  it("offers every command that help lists", () => {
    const help = execFileSync(process.execPath, [MAIN, "--help"], { encoding: "utf8" });
    const listed = [...(help.split("Commands:")[1] ?? "").matchAll(/^ {2}([a-z]+)/gm)].map(
      ([, name]) => name,
    );
    expect(listed.length).toBeGreaterThan(8);
    expect(offered("").sort()).toEqual(listed.sort());
  });
});

describe("completion in zsh", () => {
  it("loads without errors, and completes and lists in a terminal", async () => {
    const file = join(await testFolder({ parley: script("zsh") }), "parley");
    const zsh = systemTool("zsh");
    execFileSync(zsh, ["-n", file]);
    const terminal = new TerminalProcess([zsh, "-f", "-i"], {});
    terminal.write(`PS1='> '; autoload -Uz compinit; compinit -D -u; source ${file}; clear; print rea''dy\n`);
    await terminal.see("ready");
    /** What is on the screen once this was typed and Tab was pressed. */
    const typed = async (words: string, wanted: RegExp) => {
      terminal.write(`${words}\t`);
      await terminal.until(() => wanted.test(terminal.screen), String(wanted));
      terminal.write("\x15\x0c");
      await terminal.until(() => !wanted.test(terminal.screen), "a clear screen");
    };
    await typed("parley sess", /> parley sessions$/m);
    await typed("parley agents re", /remove +-- remove an added agent\nrestore +-- restore a removed agent/);
    await typed("parley agents --server http://x rem", /> parley agents --server http:\/\/x remove$/m);
    await typed("parley sessions export --fo", /> parley sessions export --format$/m);
    await typed("parley sessions export abc --format ", /jsonl +markdown/);
    await typed("parley completion z", /> parley completion zsh$/m);
    await typed(`parley restore ${file.slice(0, -3)}`, new RegExp(`restore ${file}$`, "m"));
  });
});

describe("completion in fish", () => {
  it("loads without errors, and offers commands, options and values with descriptions", async () => {
    const file = join(await testFolder({ "parley.fish": script("fish") }), "parley.fish");
    const fish = systemTool("fish");
    execFileSync(fish, ["--no-execute", file]);
    const offers = (words: string) =>
      execFileSync(fish, ["--no-config", "-c", `source ${file}; complete -C ${JSON.stringify(words)}`], {
        encoding: "utf8",
      })
        .trimEnd()
        .split("\n");
    expect(offers("parley sess")).toEqual([expect.stringMatching(/^sessions\t./)]);
    expect(offers("parley agents re")).toEqual([
      "remove\tremove an added agent",
      "restore\trestore a removed agent, with its credentials",
    ]);
    expect(offers("parley agents --server http://x rem")).toEqual(["remove\tremove an added agent"]);
    expect(offers("parley sessions export --fo")).toEqual([expect.stringMatching(/^--format\t/)]);
    expect(offers("parley sessions export abc --format ")).toEqual([
      expect.stringMatching(/^jsonl\b/),
      expect.stringMatching(/^markdown\b/),
    ]);
    expect(offers("parley completion z")).toEqual(["zsh"]);
    expect(offers(`parley restore ${file.slice(0, -3)}`)).toEqual([file]);
  });
});
