import { findingOn, type Invariant } from "./invariant.ts";

/** A command that cannot run now gets a 503 with Retry-After, never an internal error. */
export const plainRefusals: Invariant = {
  id: "C",
  promise: "what cannot be done now is a 503 with Retry-After, never a 500",
  check: ({ commands }) =>
    findingOn(
      commands.flatMap(({ key, answers }) => answers.map((answer) => ({ key, ...answer }))),
      ({ key, node, status, retryAfter, text }) => {
        if (status < 500 || (status === 503 && Number(retryAfter) > 0)) return undefined;
        return {
          what: `${node} answered ${key} with ${status}`,
          expected: "503 with Retry-After",
          found: text,
        };
      },
    ),
};
