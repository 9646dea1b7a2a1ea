import { expect, it } from "vitest";
import { qualifiedName } from "./mcp-servers.ts";

it("qualified names join server and tool as in version_service__version (S0.13)", () => {
  expect(qualifiedName("version_service", "version", new Set())).toBe("version_service__version");
});

it("qualified names are accepted by every provider, and stay distinct", () => {
  const taken = new Set<string>();
  for (const tool of ["a.b", "a/b", "a b", "ä", "x".repeat(100), `${"x".repeat(99)}y`]) {
    const name = qualifiedName("my server", tool, taken);
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    taken.add(name);
  }
  expect(taken.size).toBe(6);
});
