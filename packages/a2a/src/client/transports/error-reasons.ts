import { A2A_ERRORS, type A2AErrorKind } from "../../protocol/errors.ts";

/** The reasons of `google.rpc.ErrorInfo`, and the kinds that they stand for. */
const KINDS = new Map(
  (Object.keys(A2A_ERRORS) as A2AErrorKind[]).map((kind) => [
    kind.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase(),
    kind,
  ]),
);

/** The kind of error that a reason names, with or without `_ERROR` at its end. */
export function kindOfReason(reason: string): A2AErrorKind | undefined {
  const name = reason.replace(/_ERROR$/, "");
  return KINDS.get(name) ?? KINDS.get(`${name}_ERROR`);
}
