import { expect, it } from "vitest";
import { TooManyCallsError } from "./http-error.ts";
import { IncomingBodies } from "./read-json.ts";

it("IncomingBodies counts the bytes of each caller's bodies until they have been read", () => {
  const bodies = new IncomingBodies(10);
  const first = bodies.of("ann");
  first.add(4);
  {
    using second = bodies.of("ann");
    second.add(6);
    expect(() => first.add(1)).toThrow(TooManyCallsError);
    bodies.of("bob").add(10);
  }
  first.add(5);
  expect(() => first.add(1)).toThrow("You are sending more than 10 bytes at once");
  first[Symbol.dispose]();
  bodies.of("ann").add(10);
});
