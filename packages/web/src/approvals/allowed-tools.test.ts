import { expect, it } from "vitest";
import { isAllowed, withAllowed, withoutAllowed } from "./allowed-tools.ts";

it("a tool is allowed once, for its agent alone, and all else of the configuration stays (+7)", () => {
  const budget = { tokens: 5 };
  const sync = { agent: "argocd", tool: "sync" };
  const allowed = withAllowed(withAllowed({ budget }, sync), sync);
  expect(allowed).toEqual({ budget, allowedTools: [sync] });
  expect([isAllowed(allowed, sync), isAllowed(allowed, { tool: "sync" })]).toEqual([true, false]);
  expect(withoutAllowed(withAllowed(allowed, { tool: "sync" }), sync)).toEqual({
    budget,
    allowedTools: [{ tool: "sync" }],
  });
  expect(isAllowed({ allowedTools: "everything" }, sync)).toBe(false);
});
