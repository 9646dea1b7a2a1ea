import { describe, expect, it } from "vitest";
import { A2AError, type A2AErrorKind, taskNotFound } from "../protocol/errors.ts";
import { BodyTooLargeError, MethodNotAllowedError, restStatus } from "./http-error.ts";
import { restFormat } from "./rest-formats.ts";
import { UnknownPathError } from "./rest-routes.ts";

const INFO = "type.googleapis.com/google.rpc.ErrorInfo";

describe("errors over REST", () => {
  it.each<[A2AErrorKind, number, string]>([
    ["ParseError", 400, "INVALID_ARGUMENT"],
    ["InvalidRequest", 400, "INVALID_ARGUMENT"],
    ["InvalidParams", 400, "INVALID_ARGUMENT"],
    ["ContentTypeNotSupported", 400, "INVALID_ARGUMENT"],
    ["TaskNotCancelable", 400, "FAILED_PRECONDITION"],
    ["PushNotificationNotSupported", 400, "FAILED_PRECONDITION"],
    ["UnsupportedOperation", 400, "FAILED_PRECONDITION"],
    ["ExtendedAgentCardNotConfigured", 400, "FAILED_PRECONDITION"],
    ["ExtensionSupportRequired", 400, "FAILED_PRECONDITION"],
    ["VersionNotSupported", 400, "FAILED_PRECONDITION"],
    ["TaskNotFound", 404, "NOT_FOUND"],
    ["InvalidAgentResponse", 500, "INTERNAL"],
  ])("answer %s with %i %s", (kind, code, status) => {
    const error = new A2AError(kind, "why");
    expect(restStatus(error)).toBe(code);
    expect(JSON.parse(restFormat.errorText(error))).toMatchObject({
      error: { code, status, message: "why" },
    });
  });

  it("carry the reason and machine-readable details", () => {
    expect(JSON.parse(restFormat.errorText(taskNotFound("t1")))).toEqual({
      error: {
        code: 404,
        status: "NOT_FOUND",
        message: "There is no task t1",
        details: [
          { "@type": INFO, reason: "TASK_NOT_FOUND", domain: "a2a-protocol.org", metadata: { taskId: "t1" } },
        ],
      },
    });
  });

  it.each([
    [new BodyTooLargeError(), 413],
    [new UnknownPathError("/x"), 404],
    [new MethodNotAllowedError("PUT", "/tasks", "GET"), 405],
  ])("use HTTP's own status where there is one: %s", (error, code) => {
    expect(restStatus(error)).toBe(code);
    expect(JSON.parse(restFormat.errorText(error)).error.code).toBe(code);
  });

  it("do not reveal the cause of an internal error", () => {
    const error = new A2AError("Internal", "the disk at /secret is full");
    expect(JSON.parse(restFormat.errorText(error))).toEqual({
      error: { code: 500, status: "INTERNAL", message: "Internal error", details: [] },
    });
  });
});
