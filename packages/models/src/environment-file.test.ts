import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it } from "vitest";
import { withEnvironmentFile } from "./environment-file.ts";

it("adds what a .env file says and overrides nothing that is set", async () => {
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

it("goes on without a file, and not with one that cannot be read", async () => {
  const folder = await testFolder();
  expect(await withEnvironmentFile({ A: "1" }, join(folder, ".env"))).toEqual({ A: "1" });
  await expect(withEnvironmentFile({}, folder)).rejects.toThrow("EISDIR");
});
