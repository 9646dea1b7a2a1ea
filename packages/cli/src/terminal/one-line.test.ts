import { expect, it } from "vitest";
import { oneLine } from "./plain-text.ts";

it("untrusted text fits into one line, whatever its content", () => {
  expect(oneLine("  a\n\n b\tc  ")).toBe("a b c");
  expect(oneLine("👋👋👋👋", 3)).toBe("👋👋…");
  expect(oneLine("x".repeat(1_000_000), 10)).toBe(`${"x".repeat(9)}…`);
  expect(oneLine("back\b\b\rover \u009b31mC1 half \x1b")).not.toMatch(/[^ -~]/);
});
