import { describe, expect, it } from "vitest";
import { shippedServer } from "../testing/shipped-server.ts";

describe("the calculator server", () => {
  it("answers as text and as data, and declares itself read-only (S1.20)", async () => {
    const { servers, call } = await shippedServer("calculator");
    expect(servers.tools()).toMatchObject([
      {
        name: "it__evaluate",
        title: "Calculate",
        annotations: {
          readOnlyHint: true,
          idempotentHint: true,
          destructiveHint: false,
          openWorldHint: false,
        },
        inputSchema: { required: ["expression"] },
      },
    ]);
    const sums = ["2+2", "3+3", "4+6"].map((expression) => call("evaluate", { expression }));
    expect((await Promise.all(sums)).map(({ text }) => text)).toEqual(["2+2 = 4", "3+3 = 6", "4+6 = 10"]);
    expect((await call("evaluate", { expression: " 0.1+0.2 " })).structured).toEqual({
      expression: "0.1+0.2",
      result: 0.3,
      approximate: false,
    });
    expect((await call("evaluate", { expression: "25!" })).text).toBe("25! ≈ 1.5511210043331e+25");
  });

  it("reports invalid input as a tool error", async () => {
    const { call } = await shippedServer("calculator");
    expect(await call("evaluate", { expression: "1/0" })).toMatchObject({
      failed: true,
      text: "Nothing can be divided by zero.",
    });
    expect(await call("evaluate", {})).toMatchObject({
      failed: true,
      text: expect.stringContaining("expression"),
    });
  });
});
