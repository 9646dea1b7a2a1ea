import { expect, it } from "vitest";
import { isAllowed, withoutAllowed } from "./allowed-tools.ts";

it("a tool is allowed for its agent only, and can be revoked without other changes (+7)", () => {
  const sync = { agent: "argocd", tool: "sync" };
  const config = { budget: { tokens: 5 }, allowedTools: [sync, { tool: "sync" }] };
  expect([isAllowed(config, sync), isAllowed(config, { agent: "other", tool: "sync" })]).toEqual([
    true,
    false,
  ]);
  const without = { ...config, allowedTools: [{ tool: "sync" }] };
  expect(withoutAllowed(config, sync)).toEqual(without);
  expect(isAllowed(without, sync)).toBe(false);
  expect(isAllowed({ allowedTools: "everything" }, sync)).toBe(false);
});
