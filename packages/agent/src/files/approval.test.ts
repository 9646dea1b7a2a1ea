import { describe, expect, it } from "vitest";
import { approvalFor, matchesPattern } from "./approval.ts";

describe("a pattern", () => {
  it.each([
    ["*", "", true],
    ["*", "anything", true],
    ["a__*", "a__b", true],
    ["a__*", "b__a__c", false],
    ["*__sync", "argocd__sync", true],
    ["*__sync", "argocd__sync_all", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["a.c", "abc", false],
    ["*a*b*", "xxaxxbxx", true],
    ["", "a", false],
  ])("%j on %j is %j", (pattern, name, expected) => {
    expect(matchesPattern(pattern, name)).toBe(expected);
  });

  it("is matched in at most pattern times name steps, however many stars it has", () => {
    expect(matchesPattern("*a".repeat(50), `${"a".repeat(5_000)}b`)).toBe(false);
  });
});

describe("approval", () => {
  const reads = { name: "git__log", annotations: { readOnlyHint: true } };
  const writes = { name: "git__push", annotations: {} };

  it("follows the first matching rule, then the default", () => {
    const tools = [
      { pattern: "git__l*", mode: "never" },
      { pattern: "git__*", mode: "ask" },
    ] as const;
    expect(approvalFor({ default: "always", tools }, reads)).toBe("never");
    expect(approvalFor({ default: "always", tools }, writes)).toBe("ask");
    expect(approvalFor({ default: "always", tools: [] }, writes)).toBe("always");
  });

  it("without a rule is automatic only for read-only tools", () => {
    expect(approvalFor({ tools: [] }, reads)).toBe("always");
    expect(approvalFor({ tools: [] }, writes)).toBe("ask");
  });
});
