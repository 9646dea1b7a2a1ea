import { describe, expect, it } from "vitest";
import { IdempotentRequests, type RecordedEffect } from "./idempotent-requests.ts";

function requests() {
  const recorded = new Map<string, RecordedEffect<string>>();
  const idempotent = new IdempotentRequests({
    find: async ({ key }: { key: string; hash: string }) => recorded.get(key),
    reused: () => new Error("reused"),
  });
  return { recorded, idempotent };
}

describe("IdempotentRequests", () => {
  it("does the work of one of two requests with a key, and gives the other its effect", async () => {
    const { recorded, idempotent } = requests();
    const once = (name: string) =>
      idempotent.once({ key: "k", hash: "h" }, async () => {
        recorded.set("k", { hash: "h", effect: name });
        return `done by ${name}`;
      });
    expect(await Promise.all([once("one"), once("two")])).toEqual(["done by one", "one"]);
  });

  it("returns the effect of another node that was faster, and otherwise the error of the work", async () => {
    const { recorded, idempotent } = requests();
    const beaten = async () => {
      recorded.set("k", { hash: "h", effect: "another node" });
      throw new Error("taken");
    };
    expect(await idempotent.once({ key: "k", hash: "h" }, beaten)).toBe("another node");
    const failing = () => Promise.reject(new Error("down"));
    await expect(idempotent.once({ key: "x", hash: "h" }, failing)).rejects.toThrow("down");
  });

  it("refuses a key that was used for another request", async () => {
    const { recorded, idempotent } = requests();
    recorded.set("k", { hash: "h", effect: "first" });
    const request = { key: "k", hash: "other" };
    await expect(idempotent.once(request, async () => "second")).rejects.toThrow("reused");
  });
});
