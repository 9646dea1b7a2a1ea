import { randomBytes } from "node:crypto";
import { KeyLengthError } from "@parley/journal";
import { describe, expect, it } from "vitest";
import { ConfigSeal, SealBrokenError } from "./config-seal.ts";

describe("ConfigSeal", () => {
  const name = { taskId: "t", id: "c" };
  const config = {
    url: "https://hooks.example/path",
    token: "tok",
    authentication: { scheme: "Bearer", credentials: "cred" },
  };
  const seal = new ConfigSeal(randomBytes(32));

  it("encrypts a config differently each time, and decrypts it", () => {
    const sealed = seal.seal(name, config);
    const bytes = Buffer.from(sealed, "base64").toString("latin1");
    for (const secret of ["hooks.example", "tok", "cred"]) expect(bytes).not.toContain(secret);
    expect(seal.seal(name, config)).not.toBe(sealed);
    expect(seal.open(name, sealed)).toEqual(config);
  });

  it("refuses another config, another key and a tampered value", () => {
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
