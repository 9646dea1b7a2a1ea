import { describe, expect, it } from "vitest";
import { KeyedMutex } from "./mutex.ts";

describe("KeyedMutex", () => {
  it("runs work of one key in order, also after work that failed, and other keys meanwhile", async () => {
    const mutex = new KeyedMutex();
    const log: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = mutex.run("a", async () => {
      await promise;
      log.push("a1");
      throw new Error("no");
    });
    const second = mutex.run("a", async () => log.push("a2"));
    await mutex.run("b", async () => log.push("b"));
    resolve();
    await expect(first).rejects.toThrow("no");
    await second;
    expect(log).toEqual(["b", "a1", "a2"]);
  });
});
