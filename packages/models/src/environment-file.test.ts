import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it } from "vitest";
import { withEnvironmentFile } from "./environment-file.ts";

it("a .env file adds variables and overrides none that is set", async () => {
  const path = join(await testFolder(), ".env");
  await writeFile(path, '# keys\nA=from file\nB="quoted # text"\nexport C=3\nD=4\n');
  const environment = { A: "set", D: "" };
  expect(await withEnvironmentFile(environment, path)).toEqual({
    A: "set",
    B: "quoted # text",
    C: "3",
    D: "4",
  });
  expect(environment).toEqual({ A: "set", D: "" });
});

it("a missing .env file is ignored, and an unreadable one is an error", async () => {
  const folder = await testFolder();
  expect(await withEnvironmentFile({ A: "1" }, join(folder, ".env"))).toEqual({ A: "1" });
  await expect(withEnvironmentFile({}, folder)).rejects.toThrow("EISDIR");
});
