import { expect, it } from "vitest";
import { TooManyCallsError } from "./http-error.ts";
import { ComingBodies } from "./read-json.ts";

it("ComingBodies counts the bytes of each caller's bodies until they have been read", () => {
  const bodies = new ComingBodies(10);
  const first = bodies.of("ann");
  first.add(4);
  {
    using second = bodies.of("ann");
    second.add(6);
    expect(() => first.add(1)).toThrow(TooManyCallsError);
    bodies.of("bob").add(10);
  }
  first.add(5);
  expect(() => first.add(1)).toThrow("Bodies of more than 10 bytes come from you at once: wait");
  first[Symbol.dispose]();
  bodies.of("ann").add(10);
});
