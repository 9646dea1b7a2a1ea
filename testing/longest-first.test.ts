import { relative, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createVitest } from "vitest/node";
import { LONGEST, LongestFirst } from "./longest-first.ts";

const root = resolve(import.meta.dirname, "..");

it("LongestFirst starts the slowest files first and omits none", async () => {
  const vitest = await createVitest("test", { root, watch: false });
  onTestFinished(() => vitest.close());
  const files = await vitest.globTestSpecifications();
  const sorted = await new LongestFirst(vitest).sort([...files].reverse());
  const paths = sorted.map(({ moduleId }) => relative(root, moduleId));
  expect(paths.slice(0, LONGEST.length)).toEqual(LONGEST);
  expect(new Set(paths).size).toBe(files.length);
});
