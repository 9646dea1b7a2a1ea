import type { WorkspaceRole } from "@parley/identity";
import { expect, it } from "vitest";
import { checkRole, workspaceFor } from "./check-role.ts";

const may = (role: WorkspaceRole, workspace: string, method: string, path: string): boolean => {
  try {
    checkRole({ role, workspace }, { method, path });
    return true;
  } catch {
    return false;
  }
};

it.each([
  ["GET", "/api/v1/sessions", { viewer: true, editor: true, owner: true, operator: true }],
  ["POST", "/api/v1/sessions", { viewer: false, editor: true, owner: true, operator: true }],
  ["DELETE", "/api/v1/sessions/x", { viewer: false, editor: true, owner: true, operator: true }],
  // An unknown route: anything but a read requires the right to work.
  ["PURGE", "/api/v1/new", { viewer: false, editor: true, owner: true, operator: true }],
  ["GET", "/api/v1/keys", { viewer: false, editor: false, owner: true, operator: true }],
  ["DELETE", "/api/v1/keys/x", { viewer: false, editor: false, owner: true, operator: true }],
  ["GET", "/api/v1/audit", { viewer: false, editor: false, owner: true, operator: true }],
  ["GET", "/api/v1/agents", { viewer: true, editor: true, owner: true, operator: true }],
  ["PATCH", "/api/v1/agents/x", { viewer: false, editor: false, owner: false, operator: true }],
  ["POST", "/api/v1/agent-checks", { viewer: false, editor: false, owner: false, operator: true }],
  ["POST", "/api/v1/settings/model-test", { viewer: false, editor: false, owner: false, operator: true }],
  ["GET", "/metrics", { viewer: false, editor: false, owner: false, operator: true }],
  ["GET", "/status", { viewer: false, editor: false, owner: false, operator: true }],
])("%s %s allows %j", (method, path, { operator, ...roles }) => {
  for (const [role, allowed] of Object.entries(roles))
    expect([role, may(role as WorkspaceRole, "home", method, path)]).toEqual([role, allowed]);
  expect(may("owner", "default", method, path)).toBe(operator);
});

it("workspaceFor lets only operators access other workspaces", () => {
  expect(workspaceFor({ role: "owner", workspace: "home" }, undefined)).toBe("home");
  expect(workspaceFor({ role: "owner", workspace: "home" }, "home")).toBe("home");
  expect(workspaceFor({ role: "owner", workspace: "default" }, "home")).toBe("home");
  expect(() => workspaceFor({ role: "owner", workspace: "home" }, "office")).toThrow("omit the workspace");
  expect(() => workspaceFor({ role: "editor", workspace: "default" }, "office")).toThrow(
    "omit the workspace",
  );
});
