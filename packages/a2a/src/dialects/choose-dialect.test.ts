import { describe, expect, it } from "vitest";
import { candidateDialects, chooseDialect, errorDialect } from "./choose-dialect.ts";
import type { DialectVersion } from "./dialect.ts";

const versions = (version: string | undefined, method: string) =>
  candidateDialects({ version, method }).map((dialect) => dialect.version);

describe("the dialect of a call (+11)", () => {
  it.each([
    ["1.0", "1.0"],
    ["1.0.3", "1.0"],
    ["0.3", "0.3"],
    ["0.3.0", "0.3"],
    [" 0.1 ", "0.1"],
  ])("is determined by its version %s, whatever its method", (version, expected) => {
    for (const method of ["SendMessage", "message/send", "tasks/get", "nonsense"]) {
      expect(versions(version, method)).toEqual([expected]);
    }
  });

  it.each(["2.0", "1.1", "0.2.6", "1", "latest", "1.0, 0.3", "01.0", "1.0.0\u0000"])(
    "is undefined for version %j",
    (version) => {
      expect(() => versions(version, "GetTask")).toThrow(
        expect.objectContaining({ kind: "VersionNotSupported" }),
      );
    },
  );

  it.each([
    ["SendMessage", ["1.0"]],
    ["SomethingNew", ["1.0"]],
    ["message/send", ["0.3"]],
    ["message/stream", ["0.3"]],
    ["tasks/pushNotificationConfig/set", ["0.3"]],
    ["agent/getAuthenticatedExtendedCard", ["0.3"]],
    ["something/new", ["0.3"]],
    ["tasks/send", ["0.1"]],
    ["tasks/sendSubscribe", ["0.1"]],
    ["tasks/pushNotification/set", ["0.1"]],
    ["tasks/pushNotification/get", ["0.1"]],
    ["tasks/get", ["0.3", "0.1"]],
    ["tasks/cancel", ["0.3", "0.1"]],
    ["tasks/resubscribe", ["0.3", "0.1"]],
  ])("is determined by the method %s without a version", (method, expected) => {
    expect(versions(undefined, method)).toEqual(expected);
    expect(versions("", method)).toEqual(expected);
  });

  it.each([
    ["v0.1", "0.1", "0.1"],
    ["v0.3", "0.3", "0.3"],
    ["v1.0", "1.0", "0.3"],
    ["no dialect, for there is none", undefined, "0.3"],
  ] as const)("of tasks/get for a task created in %s", async (_name, created, expected) => {
    const createdIn = async (): Promise<DialectVersion | undefined> => created;
    const signs = { method: "tasks/get", params: { id: "t" } };
    expect((await chooseDialect(signs, createdIn)).version).toBe(expected);
  });

  it.each([
    ["9.9", "GetTask", "1.0"],
    ["9.9", "tasks/send", "0.1"],
    ["1.0.5", "tasks/send", "1.0"],
    [undefined, "", "0.3"],
  ])("refuses version %s of %s in the format of %s", (version, method, expected) => {
    expect(errorDialect({ version, method }).version).toBe(expected);
  });

  it("is not looked up when the call alone determines it", async () => {
    const createdIn = () => {
      throw new Error("looked up");
    };
    for (const params of [undefined, null, "text", {}, { id: 7 }]) {
      expect((await chooseDialect({ method: "tasks/get", params }, createdIn)).version).toBe("0.3");
    }
    const signs = { version: "0.1", method: "tasks/get", params: { id: "t" } };
    expect((await chooseDialect(signs, createdIn)).version).toBe("0.1");
  });
});
