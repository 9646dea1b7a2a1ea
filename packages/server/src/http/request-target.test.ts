import { describe, expect, it } from "vitest";
import { canonicalTarget } from "./request-target.ts";

describe("canonicalTarget", () => {
  it("gives each path one spelling, and keeps the characters that ids may contain", () => {
    for (const [written, plain] of [
      ["/", "/"],
      ["/api/v1/%6beys?q=%6b/../x", "/api/v1/keys?q=%6b/../x"],
      ["/a2a/rest/tasks/a%2Fb%3Acancel", "/a2a/rest/tasks/a%2Fb%3Acancel"],
      ["/files/%7Eann%20b.txt", "/files/~ann%20b.txt"],
      ["/x/%252e%252e/y", "/x/%252e%252e/y"],
      ["/x/..%2fy", "/x/..%2fy"],
      ["/x/.../y", "/x/.../y"],
    ] as const)
      expect(canonicalTarget(written)).toBe(plain);
  });

  it("refuses targets that a router could read as another path", () => {
    for (const written of [
      ...["/a/../b", "/a/..", "/a/./b", "/a/%2e%2e/b", "/a/.%2E/b", "/a/%2e/b", "/.."],
      ...["/a/..\\b", "/a\\..\\b", "/a#/../b", "/a/%2%65%2%65/b", "/a%", "/a%zz"],
    ])
      expect(canonicalTarget(written), written).toBeUndefined();
  });
});
