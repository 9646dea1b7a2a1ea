import { describe, expect, it } from "vitest";
import { RUN_EXTENSION } from "../extension/extension-member.ts";
import { carriedText, carriedTexts, carry, uncarry } from "./carried.ts";

describe("data without a field in the dialect", () => {
  it("travels beside the other members of our extension", () => {
    const own = { tag: 1, [RUN_EXTENSION]: { usage: { tokens: 3 } } };
    const carried = carry(own, { artifactId: "a", extensions: undefined });
    expect(carried).toEqual({
      tag: 1,
      [RUN_EXTENSION]: { usage: { tokens: 3 }, carried: { artifactId: "a" } },
    });
    expect(uncarry(carried, ["artifactId"])).toEqual({ carried: { artifactId: "a" }, metadata: own });
  });

  it("leaves metadata unchanged when there is none", () => {
    const own = { tag: 1 };
    expect(carry(own, { artifactId: undefined })).toBe(own);
    expect(uncarry(own, ["artifactId"]).metadata).toBe(own);
    expect(carry(undefined, {})).toBeUndefined();
  });

  it("leaves no empty metadata behind when extracted", () => {
    expect(uncarry(carry(undefined, { state: "s" }), ["state"])).toEqual({
      carried: { state: "s" },
      metadata: undefined,
    });
  });

  it("stays in the metadata if it is not requested", () => {
    const both = carry(carry(undefined, { state: "s" }), { final: true });
    expect(uncarry(both, ["final"])).toEqual({
      carried: { final: true },
      metadata: carry(undefined, { state: "s" }),
    });
  });

  it("is validated for its type", () => {
    expect(carriedText(7)).toBeUndefined();
    expect(carriedTexts(["a", 7])).toBeUndefined();
    expect(carriedTexts(["a"])).toEqual(["a"]);
    const odd = { [RUN_EXTENSION]: { carried: "text" } };
    expect(uncarry(odd, ["state"])).toEqual({ carried: {}, metadata: odd });
  });
});
