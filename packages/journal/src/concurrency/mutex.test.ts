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

  it("does once what is recorded, and answers with the record of whoever was faster", async () => {
    const mutex = new KeyedMutex();
    let recorded: string | undefined;
    const find = async () => recorded;
    const once = (name: string) => {
      const work = async () => {
        recorded = name;
        return `done by ${name}`;
      };
      return mutex.runOnce("k", { find, work });
    };
    expect(await Promise.all([once("one"), once("two")])).toEqual(["done by one", "one"]);
    recorded = undefined;
    const beaten = async () => {
      recorded = "another process";
      throw new Error("taken");
    };
    expect(await mutex.runOnce("k", { find, work: beaten })).toBe("another process");
    const failing = () => Promise.reject(new Error("down"));
    await expect(mutex.runOnce("x", { find: async () => undefined, work: failing })).rejects.toThrow("down");
  });
});
