import { describe, expect, it } from "vitest";
import { idOf, readCall, resultWrapper } from "./json-rpc.ts";

describe("the JSON-RPC envelope (S1.1, S1.21)", () => {
  it("is parsed into an id, a method and params", () => {
    expect(readCall({ jsonrpc: "2.0", id: 7, method: "m", params: { a: 1 } })).toEqual({
      id: 7,
      method: "m",
      params: { a: 1 },
    });
  });

  it("may lack jsonrpc and id", () => {
    expect(readCall({ method: "m" })).toEqual({ id: null, method: "m", params: undefined });
  });

  it.each([
    null,
    1,
    "text",
    [],
    [{ jsonrpc: "2.0", method: "m" }],
    {},
    { jsonrpc: "1.0", method: "m" },
    { jsonrpc: 2, method: "m" },
    { method: 1 },
    { method: "" },
    { method: "m", id: {} },
    { method: "m", id: true },
    { method: "m", id: "x".repeat(257) },
  ])("is refused as an invalid request: %j", (body) => {
    expect(() => readCall(body)).toThrow(expect.objectContaining({ kind: "InvalidRequest" }));
  });

  it("carries the id of a request that is refused for another reason", () => {
    expect(idOf({ id: "x", method: 1 })).toBe("x");
    expect(idOf("nothing")).toBeNull();
    expect(idOf({ id: "x".repeat(257) })).toBeNull();
  });

  it("wraps a result that is already serialised", () => {
    const wrap = resultWrapper('a"b');
    expect(JSON.parse(wrap(`{"kind":"task"}`))).toEqual({
      jsonrpc: "2.0",
      id: 'a"b',
      result: { kind: "task" },
    });
  });
});
