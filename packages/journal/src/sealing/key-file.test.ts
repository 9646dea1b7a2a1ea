import { randomBytes } from "node:crypto";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { KeyFileModeError, KeyLengthError, keyFromText, loadOrCreateKey } from "./key-file.ts";

describe("loadOrCreateKey", () => {
  it("creates one key for concurrent callers, readable by its owner alone", async () => {
    const path = join(await testFolder(), "keys", "push.key");
    const keys = await Promise.all(Array.from({ length: 5 }, () => loadOrCreateKey(path)));
    keys.push(await loadOrCreateKey(path), keyFromText(await readFile(path, "utf8"), path));
    expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("rejects a file that others can read, or whose key has the wrong length", async () => {
    const folder = await testFolder({ "short.key": "c2hvcnQ=" });
    await chmod(join(folder, "short.key"), 0o600);
    await expect(loadOrCreateKey(join(folder, "short.key"))).rejects.toThrow(KeyLengthError);
    const open = join(folder, "open.key");
    await writeFile(open, randomBytes(32).toString("base64"), { mode: 0o644 });
    await chmod(open, 0o644);
    await expect(loadOrCreateKey(open)).rejects.toThrow(KeyFileModeError);
  });
});
