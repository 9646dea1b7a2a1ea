import { describe, expect, it } from "vitest";
import { restFormat } from "../../bindings/rest-formats.ts";
import { A2A_ERRORS, A2AError, type A2AErrorKind } from "../../protocol/errors.ts";
import { decodeRestError } from "./rest-transport.ts";

describe("an error over REST (S1.21–23)", () => {
  it.each(Object.keys(A2A_ERRORS) as A2AErrorKind[])("is parsed as %s", (kind) => {
    const sent = JSON.parse(restFormat.errorText(new A2AError(kind, "why", { field: "f" })));
    expect(decodeRestError(sent)?.kind).toBe(kind);
  });

  it("keeps its details", () => {
    const sent = JSON.parse(restFormat.errorText(new A2AError("TaskNotFound", "why", { taskId: "t" })));
    expect(decodeRestError(sent)).toMatchObject({ message: "why", details: { taskId: "t" } });
  });

  it.each<[number, A2AErrorKind]>([
    [400, "InvalidParams"],
    [404, "TaskNotFound"],
    [501, "UnsupportedOperation"],
  ])("without a reason is recognised by its status %i", (code, kind) => {
    expect(decodeRestError({ error: { code, message: "why" } })?.kind).toBe(kind);
  });

  it.each([undefined, "no", { error: "no" }, { error: { code: 429, message: "slow down" } }])(
    "that is not an A2A error is classified by its status: %j",
    (body) => {
      expect(decodeRestError(body)).toBeUndefined();
    },
  );
});
