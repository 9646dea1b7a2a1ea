import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

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

describe("completion in other shells", () => {
  it("has every command and option for zsh, and its quotes and parentheses close", () => {
    const zsh = script("zsh");
    expect(zsh).toMatch(/^#compdef parley\n/);
    for (const word of ["agents restore", "'list:", "--format", "compadd -- 'jsonl' 'markdown'"])
      expect(zsh).toContain(word);
    // It is written so that bash can parse it too, which finds what is not closed.
    expect(() => execFileSync("bash", ["-n"], { input: zsh })).not.toThrow();
  });

  it("has every command and option for fish", () => {
    const fish = script("fish");
    expect(fish).toContain(`complete -c parley -n '__parley_at "agents"' -f -a 'restore'`);
    expect(fish).toContain("-l format -x -a 'jsonl markdown'");
    expect(fish).toContain("-s o -l output -r");
  });
});
