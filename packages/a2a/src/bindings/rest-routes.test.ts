import { describe, expect, it } from "vitest";
import { MethodNotAllowedError } from "./http-error.ts";
import { restFormat } from "./rest-formats.ts";
import { UnknownPathError } from "./rest-routes.ts";

const { routeOf } = restFormat.routes;

describe("REST routes", () => {
  it.each([
    ["POST", "/message:send", "send", {}],
    ["POST", "/message:stream", "stream", {}],
    ["GET", "/tasks", "list", {}],
    ["GET", "/tasks/t1", "get", { id: "t1" }],
    ["POST", "/tasks/t1:cancel", "cancel", { id: "t1" }],
    ["GET", "/tasks/t1:subscribe", "subscribe", { id: "t1" }],
    ["POST", "/tasks/t1:subscribe", "subscribe", { id: "t1" }],
    ["POST", "/tasks/t1/pushNotificationConfigs", "createPush", { taskId: "t1" }],
    ["GET", "/tasks/t1/pushNotificationConfigs", "listPush", { taskId: "t1" }],
    ["GET", "/tasks/t1/pushNotificationConfigs/c", "getPush", { taskId: "t1", id: "c" }],
    ["DELETE", "/tasks/t1/pushNotificationConfigs/c", "deletePush", { taskId: "t1", id: "c" }],
    ["GET", "/extendedAgentCard", "extendedCard", {}],
  ])("%s %s is %s, with a tenant and without", (method, path, operation, named) => {
    expect(routeOf(method, path)).toEqual({ operation, named });
    expect(routeOf(method, `/acme${path}`)).toEqual({ operation, named: { ...named, tenant: "acme" } });
  });

  it("distinguish ids that look like paths and verbs by their encoding", () => {
    expect(routeOf("GET", "/a%2Fb/tasks/x%2Fy%3Acancel")).toEqual({
      operation: "get",
      named: { tenant: "a/b", id: "x/y:cancel" },
    });
    expect(routeOf("POST", "/tasks/a:b:cancel").named).toEqual({ id: "a:b" });
    expect(routeOf("GET", "/tasks/tasks").named).toEqual({ id: "tasks" });
  });

  it.each(["", "/", "/tasks/", "/tasks//x", "/a/b/tasks", "/message:sends", "/tasks/%zz", "/constructor"])(
    "do not exist at %j",
    (path) => {
      expect(() => routeOf("GET", path)).toThrow(UnknownPathError);
    },
  );

  it.each([
    ["GET", "/message:send", "POST, OPTIONS"],
    ["GET", "/tasks/t1:cancel", "POST, OPTIONS"],
    ["DELETE", "/tasks/t1:subscribe", "GET, POST, OPTIONS"],
    ["constructor", "/tasks", "GET, HEAD, OPTIONS"],
  ])("refuse %s %s and list the allowed methods", (method, path, allowed) => {
    expect(() => routeOf(method, path)).toThrow(MethodNotAllowedError);
    expect(() => routeOf(method, path)).toThrow(
      expect.objectContaining({ details: { method, path, allowed } }),
    );
  });
});
