import { randomBytes } from "node:crypto";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { ConfigSeal, SealBrokenError } from "./config-seal.ts";
import { KeyFileModeError, KeyLengthError, keyFromText, loadOrCreateKey } from "./key-file.ts";

describe("a seal", () => {
  const name = { taskId: "t", id: "c" };
  const config = {
    url: "https://hooks.example/path",
    token: "tok",
    authentication: { scheme: "Bearer", credentials: "cred" },
  };
  const seal = new ConfigSeal(randomBytes(32));

  it("keeps a config unreadable, differently each time, and gives it back", () => {
    const sealed = seal.seal(name, config);
    const bytes = Buffer.from(sealed, "base64").toString("latin1");
    for (const secret of ["hooks.example", "tok", "cred"]) expect(bytes).not.toContain(secret);
    expect(seal.seal(name, config)).not.toBe(sealed);
    expect(seal.open(name, sealed)).toEqual(config);
  });

  it("opens for no other config, with no other key, and not when it was changed", () => {
    const sealed = seal.seal(name, config);
    const changed = Buffer.from(sealed, "base64");
    changed[30] = (changed[30] ?? 0) ^ 1;
    expect(() => seal.open({ ...name, id: "d" }, sealed)).toThrow(SealBrokenError);
    expect(() => new ConfigSeal(randomBytes(32)).open(name, sealed)).toThrow(SealBrokenError);
    expect(() => seal.open(name, changed.toString("base64"))).toThrow(SealBrokenError);
    expect(() => seal.open(name, "")).toThrow(SealBrokenError);
    expect(() => new ConfigSeal(randomBytes(16))).toThrow(KeyLengthError);
  });
});

describe("a key file", () => {
  it("is made once, for its owner alone, also by several at once", async () => {
    const path = join(await testFolder(), "keys", "push.key");
    const keys = await Promise.all(Array.from({ length: 5 }, () => loadOrCreateKey(path)));
    keys.push(await loadOrCreateKey(path), keyFromText(await readFile(path, "utf8"), path));
    expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("that others can read, or that is no key, is refused", async () => {
    const folder = await testFolder({ "short.key": "c2hvcnQ=" });
    await chmod(join(folder, "short.key"), 0o600);
    await expect(loadOrCreateKey(join(folder, "short.key"))).rejects.toThrow(KeyLengthError);
    const open = join(folder, "open.key");
    await writeFile(open, randomBytes(32).toString("base64"), { mode: 0o644 });
    await chmod(open, 0o644);
    await expect(loadOrCreateKey(open)).rejects.toThrow(KeyFileModeError);
  });
});
