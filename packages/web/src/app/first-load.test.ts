import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { builtWebClient } from "@parley/web/build";
import { expect, it } from "vitest";

it("the first load is at most 150 kB of JavaScript", { timeout: 180_000 }, async () => {
  const folder = await builtWebClient();
  const entry = await readFile(join(folder, "index.html"), "utf8");
  const names = [...entry.matchAll(/(?:src|href)="\/s\/(assets\/[^"]+\.js)"/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThanOrEqual(2);
  const sizes = names.map(async (name) => {
    const file = join(folder, name);
    return (await stat(`${file}.gz`).catch(() => stat(file))).size;
  });
  const sum = (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
  expect(sum).toBeGreaterThan(10_000);
  expect(sum).toBeLessThanOrEqual(150_000);
});

it("the web client is not built twice from the same sources, nor concurrently", {
  timeout: 180_000,
}, async () => {
  const first = await builtWebClient();
  let builds = 0;
  const onBuild = () => void builds++;
  expect(await Promise.all([builtWebClient({ onBuild }), builtWebClient({ onBuild })])).toEqual([
    first,
    first,
  ]);
  expect(builds).toBe(0);
});
