import { describe, expect, it } from "vitest";
import { shippedServer } from "../testing/shipped-server.ts";
import { chartTable } from "./chart-table.ts";
import { drawChart } from "./draw-chart.ts";
import { numberText, valueAxis } from "./value-axis.ts";

const contentOf = (file: object | undefined) =>
  file && "base64" in file ? Buffer.from(String(file.base64), "base64").toString() : "";

describe("the charts server", () => {
  it("returns an image and a table as files, and describes them in text (S1.20)", async () => {
    const { servers, call } = await shippedServer("charts");
    expect(servers.tools()).toMatchObject([
      { name: "it__draw_chart", annotations: { readOnlyHint: true }, inputSchema: { required: ["values"] } },
    ]);
    const { files, text, failed } = await call("draw_chart", { values: [3, 5, 8], title: "Sales, 2026" });
    expect(failed).toBe(false);
    expect(files.map(({ name, mediaType }) => [name, mediaType])).toEqual([
      ["sales-2026.svg", "image/svg+xml"],
      ["sales-2026.csv", "text/csv"],
    ]);
    expect(text.split("\n")[0]).toBe(
      "Here is a bar chart of 3 values from 3 to 8, as a picture and as a table.",
    );
    expect(text).not.toContain("label,value");
    expect(contentOf(files[0])).toMatch(/^<svg [\s\S]*Sales, 2026[\s\S]*<\/svg>\n$/);
    expect(contentOf(files[1])).toBe("label,value\n1,3\n2,5\n3,8\n");
  });

  it("reports invalid input as a tool error", async () => {
    const { call } = await shippedServer("charts");
    expect(await call("draw_chart", { values: [1, 2], labels: ["a"] })).toMatchObject({
      failed: true,
      text: "There are 2 values and 1 labels: give each its own.",
      files: [],
    });
    expect((await call("draw_chart", { values: [] })).failed).toBe(true);
  });
});

it("a chart has a bar for each value, above or below zero, and escapes its labels", () => {
  const labels = ['<script>alert("1")</script>', "b", "c"];
  const bars = drawChart({ kind: "bar", values: [-2, 0.5, 4], labels, title: "a < b & c" });
  expect(bars.match(/<rect [^>]*rx/g)).toHaveLength(3);
  expect(bars).toContain("a &#60; b &#38; c");
  expect(bars).not.toContain("<script");
  const line = drawChart({ kind: "line", values: [1, 2, 3, 4], labels: ["1", "2", "3", "4"] });
  expect(line.match(/<circle/g)).toHaveLength(4);
  for (const values of [[0], [1e300, -1e300], [1e-7, 2e-7]])
    expect(drawChart({ kind: "line", values, labels: values.map(String) })).not.toMatch(/NaN|Infinity/);
});

it("an axis starts and ends with round numbers", () => {
  expect(valueAxis([3, 5, 8])).toEqual({ from: 0, to: 8, ticks: [0, 2, 4, 6, 8] });
  expect(valueAxis([-1.2, 0.3]).ticks).toEqual([-1.5, -1, -0.5, 0, 0.5]);
  expect(valueAxis([0])).toMatchObject({ from: 0, to: 1 });
  expect([1234567, 0.1 + 0.2, 1e12, 0].map(numberText)).toEqual(["1,234,567", "0.3", "1.00e+12", "0"]);
});

it("a table escapes commas, quotes and formulas", () => {
  expect(chartTable(['a "b", c', "=SUM(A1)"], [1, -2])).toBe('label,value\n"a ""b"", c",1\n\'=SUM(A1),-2\n');
});
