import { describe, expect, it } from "vitest";
import { A2A_ERRORS, A2AError, type A2AErrorKind, taskNotFound } from "../protocol/errors.ts";
import { DIALECTS } from "./choose-dialect.ts";
import { v1Dialect } from "./v1/dialect.ts";
import { v01Dialect } from "./v01/dialect.ts";
import { v03Dialect } from "./v03/dialect.ts";

const kinds = Object.keys(A2A_ERRORS) as A2AErrorKind[];

describe("errors (S1.21–23)", () => {
  it.each([
    ["ParseError", -32700],
    ["InvalidRequest", -32600],
    ["MethodNotFound", -32601],
    ["InvalidParams", -32602],
    ["Internal", -32603],
    ["TaskNotFound", -32001],
    ["TaskNotCancelable", -32002],
    ["PushNotificationNotSupported", -32003],
    ["UnsupportedOperation", -32004],
    ["ContentTypeNotSupported", -32005],
    ["InvalidAgentResponse", -32006],
    ["ExtendedAgentCardNotConfigured", -32007],
    ["ExtensionSupportRequired", -32008],
    ["VersionNotSupported", -32009],
  ] as const)("%s is %i in v1.0 and v0.3, and comes back as itself", (kind, code) => {
    for (const dialect of [v1Dialect, v03Dialect]) {
      const wire = dialect.encodeError(new A2AError(kind, "It went wrong", { taskId: "t" }));
      expect(wire.code).toBe(code);
      expect(dialect.decodeError(wire).kind).toBe(kind);
    }
  });

  it("carry an ErrorInfo in v1.0", () => {
    expect(v1Dialect.encodeError(taskNotFound("t-1"))).toEqual({
      code: -32001,
      message: "There is no task t-1",
      data: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "TASK_NOT_FOUND",
          domain: "a2a-protocol.org",
          metadata: { taskId: "t-1" },
        },
      ],
    });
  });

  it("name the invalid field in v1.0 as a violation too", () => {
    const error = new A2AError("InvalidParams", "message.role: is required", { field: "message.role" });
    expect(v1Dialect.encodeError(error).data).toContainEqual({
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field: "message.role", description: "message.role: is required" }],
    });
  });

  it("carry their details as an object in v0.3", () => {
    expect(v03Dialect.encodeError(taskNotFound("t-1"))).toEqual({
      code: -32001,
      message: "There is no task t-1",
      data: { taskId: "t-1" },
    });
  });

  it("have exactly the members of the v0.1 schema in v0.1", () => {
    expect(v01Dialect.encodeError(taskNotFound("t-1"))).toEqual({
      code: -32001,
      message: "Task not found",
      data: null,
    });
    expect(v01Dialect.encodeError(new A2AError("InvalidParams", "id: is required", { field: "id" }))).toEqual(
      {
        code: -32602,
        message: "Invalid parameters",
        data: { field: "id", reason: "id: is required" },
      },
    );
  });

  it("that v0.1 does not define become the nearest v0.1 error", () => {
    const codes = kinds.map((kind) => v01Dialect.encodeError(new A2AError(kind, "")).code);
    expect(Math.max(...codes.filter((code) => code > -32100))).toBe(-32001);
    expect(Math.min(...codes.filter((code) => code > -32100))).toBe(-32005);
  });

  it.each(DIALECTS)("that are internal reveal nothing in $version", (dialect) => {
    const error = new A2AError("Internal", "no such table: tasks", { path: "/secret" });
    expect(JSON.stringify(dialect.encodeError(error))).toBe('{"code":-32603,"message":"Internal error"}');
  });

  it.each(DIALECTS)("round-trip through $version with their details", (dialect) => {
    const error = new A2AError("InvalidParams", "id: is required", { field: "id" });
    const back = dialect.decodeError(JSON.parse(JSON.stringify(dialect.encodeError(error))));
    expect(back).toMatchObject({
      kind: "InvalidParams",
      message: "id: is required",
      details: { field: "id" },
    });
  });

  it.each(DIALECTS)("with an undefined code are internal in $version and keep the code", (dialect) => {
    const error = dialect.decodeError({ code: -32050, message: "Rate limit", data: null });
    expect(error).toMatchObject({ kind: "Internal", message: "Rate limit", details: { code: "-32050" } });
  });

  it.each(DIALECTS)("that are malformed are an invalid response in $version", (dialect) => {
    for (const value of [null, "text", [], {}, { code: "1" }]) {
      expect(dialect.decodeError(value).kind).toBe("InvalidAgentResponse");
    }
  });
});
