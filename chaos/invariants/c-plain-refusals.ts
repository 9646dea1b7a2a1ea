import { findingOn, type Invariant } from "./invariant.ts";

/** A command that cannot be carried out now is told so, with the time to come back; never that something went wrong in us. */
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
