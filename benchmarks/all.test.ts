import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("all: an unknown benchmark is reported with the known ones, and none is run", async () => {
  const ran = promisify(execFile)(process.execPath, [join(import.meta.dirname, "all.ts"), "speed"]);
  const failed = await ran.then(
    () => ({ code: 0, stdout: "", stderr: "" }),
    (error) => error,
  );
  const known = readdirSync(import.meta.dirname).filter((file) => /^(?!all\.)[\w-]+\.ts$/.test(file));
  const names = known.map((file) => file.replace(".ts", "")).join(", ");
  expect([failed.code, failed.stdout]).toEqual([1, ""]);
  expect(failed.stderr).toContain(`There is no benchmark speed: use some of ${names}.\n`);
});
