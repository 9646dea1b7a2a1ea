import { expect, test } from "vitest";
import { delegatedContext } from "./delegated-context.ts";

test("contexts of two callers are two for the agents below, though they have one name; the local user's keep theirs", () => {
  const contextId = "the-same";
  const [ann, bob] = ["supervisor/home/ann", "supervisor/home/bob"].map((owner) =>
    delegatedContext({ owner, contextId }),
  );
  expect(ann).not.toBe(bob);
  expect(delegatedContext({ owner: "supervisor/home/ann", contextId })).toBe(ann);
  expect(delegatedContext({ owner: "supervisor/local", contextId })).toBe(contextId);
  // Somebody who calls themselves so is not the local user.
  expect(delegatedContext({ owner: "supervisor/home/local", contextId })).not.toBe(contextId);
});
