import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { findNpm } from "./npm-program.mjs";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "parley-npm-")));
const program = join(folder, "lib/node_modules/npm/bin/npm-cli.js");
const nowhere = "/nowhere/bin/node";

mkdirSync(dirname(program), { recursive: true });
mkdirSync(join(folder, "bin"));
writeFileSync(program, "");
symlinkSync(program, join(folder, "bin/npm"));
afterAll(() => rmSync(folder, { recursive: true }));

it("findNpm returns the npm that started the launcher", () => {
  expect(findNpm({ npm_execpath: program }, nowhere)).toBe(program);
});

it("findNpm returns the npm on the PATH if another program started the launcher", () => {
  const PATH = `/nowhere:${join(folder, "bin")}`;
  expect(findNpm({ npm_execpath: "/usr/lib/pnpm.cjs", PATH }, nowhere)).toBe(program);
});

it("findNpm returns the npm that came with Node if the PATH has none, or a wrapper", () => {
  expect(findNpm({}, join(folder, "bin/node"))).toBe(program);
});

it("a missing npm is reported with what to do", () => {
  expect(() => findNpm({ PATH: "/nowhere" }, nowhere)).toThrow(/^npm was not found: install .+\.$/);
});
