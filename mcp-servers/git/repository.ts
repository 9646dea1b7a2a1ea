import { ToolFailure } from "../tool-answer.ts";
import { runGit } from "./git-command.ts";

/** One line of history. */
export interface Commit {
  readonly hash: string;
  readonly author: string;
  readonly date: string;
  readonly subject: string;
}

const commitFormat = "--format=%H%x1f%an%x1f%aI%x1f%s%x1e";

/** Read-only access to one repository. */
export class Repository {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async status(signal?: AbortSignal): Promise<{ branch: string; files: { state: string; path: string }[] }> {
    const [head = "", ...entries] = (
      await this.#run(["status", "--porcelain=v1", "--branch", "-z", "--no-renames"], signal)
    ).split("\0");
    const files = entries
      .filter(Boolean)
      .map((entry) => ({ state: entry.slice(0, 2).trim(), path: entry.slice(3) }));
    return { branch: head.replace(/^## /, ""), files };
  }

  async log(
    options: {
      revision?: string | undefined;
      path?: string | undefined;
      author?: string | undefined;
      search?: string | undefined;
      limit: number;
    },
    signal?: AbortSignal,
  ): Promise<Commit[]> {
    const { revision = "HEAD", path, author, search, limit } = options;
    const output = await this.#run(
      [
        "log",
        commitFormat,
        `--max-count=${limit}`,
        ...(author === undefined ? [] : ["--fixed-strings", "--regexp-ignore-case", `--author=${author}`]),
        ...(search === undefined ? [] : ["--fixed-strings", "--regexp-ignore-case", `--grep=${search}`]),
        await this.#commit(revision, signal),
        ...pathArguments(path),
      ],
      signal,
    );
    return output
      .split("\x1e\n")
      .filter(Boolean)
      .map((line) => {
        const [hash = "", author = "", date = "", subject = ""] = line.split("\x1f");
        return { hash, author, date, subject };
      });
  }

  /** A commit with its changes, or a file as it was in it. */
  async show(revision: string, path?: string, signal?: AbortSignal): Promise<string> {
    const commit = await this.#commit(revision, signal);
    if (path === undefined)
      return this.#run(["show", "--stat", "--patch", ...plainDiff, commit, "--"], signal);
    return this.#run(["cat-file", "blob", `${commit}:${checkedPath(path)}`], signal);
  }

  /** What differs between two revisions, or between one and the files as they are. */
  async diff(
    options: {
      from?: string | undefined;
      to?: string | undefined;
      path?: string | undefined;
      staged?: boolean | undefined;
    },
    signal?: AbortSignal,
  ): Promise<string> {
    const { from, to, path, staged } = options;
    if (to !== undefined && from === undefined)
      throw new ToolFailure("A diff with `to` needs `from` as well.");
    if (staged === true && to !== undefined)
      throw new ToolFailure("What is staged is compared with `from` alone.");
    const revisions = await Promise.all(
      [from, to].filter((it) => it !== undefined).map((it) => this.#commit(it, signal)),
    );
    return this.#run(
      ["diff", ...plainDiff, ...(staged === true ? ["--cached"] : []), ...revisions, ...pathArguments(path)],
      signal,
    );
  }

  async branches(
    signal?: AbortSignal,
  ): Promise<{ name: string; hash: string; date: string; current: boolean }[]> {
    const format = "--format=%(HEAD)%1f%(refname:short)%1f%(objectname:short)%1f%(committerdate:iso-strict)";
    const output = await this.#run(
      [
        "for-each-ref",
        "--sort=-committerdate",
        "--count=200",
        format.replaceAll("%1f", "%09"),
        "refs/heads",
        "refs/remotes",
      ],
      signal,
    );
    return lines(output).map((line) => {
      const [mark, name = "", hash = "", date = ""] = line.split("\t");
      return { name, hash, date, current: mark === "*" };
    });
  }

  /** Who last changed each line, for a range of lines. */
  async blame(
    options: { path: string; revision?: string | undefined; from: number; to: number },
    signal?: AbortSignal,
  ): Promise<string> {
    const { path, revision = "HEAD", from, to } = options;
    const commit = await this.#commit(revision, signal);
    return this.#run(
      ["blame", "--no-textconv", "--date=short", "-L", `${from},${to}`, commit, "--", checkedPath(path)],
      signal,
    );
  }

  /** The lines that contain a text, in the files as of a revision. */
  async grep(
    options: {
      text: string;
      revision?: string | undefined;
      path?: string | undefined;
      ignoreCase?: boolean | undefined;
      limit: number;
    },
    signal?: AbortSignal,
  ): Promise<{ path: string; line: number; text: string }[]> {
    const { text, revision = "HEAD", path, ignoreCase, limit } = options;
    const commit = await this.#commit(revision, signal);
    const output = await this.#run(
      [
        ...[
          "grep",
          "--fixed-strings",
          "--line-number",
          "--null",
          "-I",
          `--max-count=${limit}`,
          "--full-name",
        ],
        ...(ignoreCase === true ? ["--ignore-case"] : []),
        ...["-e", text, commit],
        ...pathArguments(path),
      ],
      signal,
    ).catch((error: unknown) => {
      // git grep reports "nothing found" only by its exit code.
      if (error instanceof ToolFailure && error.message.endsWith("ended with 1")) return "";
      throw error;
    });
    return lines(output)
      .slice(0, limit)
      .map((line) => {
        const [file = "", number = "", ...rest] = line.split("\0");
        return { path: file.slice(commit.length + 1), line: Number(number), text: rest.join("\0") };
      });
  }

  /** Resolves a revision to its commit hash: refuses anything that starts with a dash or is not a revision. */
  async #commit(revision: string, signal?: AbortSignal): Promise<string> {
    if (!/^[A-Za-z0-9_@^~./{}+#-]{1,200}$/.test(revision) || revision.startsWith("-")) {
      throw new ToolFailure(
        `${JSON.stringify(revision)} is not a revision: give a branch, a tag, a hash, or HEAD~2.`,
      );
    }
    try {
      const hash = await this.#run(
        ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`],
        signal,
      );
      return hash.trim();
    } catch (error) {
      if (error instanceof ToolFailure && error.message.startsWith("git says: nothing")) {
        throw new ToolFailure(`There is no revision ${revision} in this repository.`);
      }
      throw error;
    }
  }

  #run(args: readonly string[], signal?: AbortSignal): Promise<string> {
    return runGit(this.#folder, args, signal);
  }
}

const plainDiff = ["--no-ext-diff", "--no-textconv", "--no-color"];

function pathArguments(path: string | undefined): string[] {
  return path === undefined ? ["--"] : ["--", checkedPath(path)];
}

/** A path inside the repository; `:` at its start would be a pattern of git's, not a name. */
function checkedPath(path: string): string {
  if (path === "" || /^[:/]|\0/.test(path) || path.split(/[\\/]/).includes("..")) {
    throw new ToolFailure(`${JSON.stringify(path)} is not a path inside the repository, like src/main.ts.`);
  }
  return path;
}

function lines(output: string): string[] {
  return output.split("\n").filter(Boolean);
}
