import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { orFailure, readsOnly, ToolFailure } from "../tool-answer.ts";
import { chartTable } from "./chart-table.ts";
import { type Chart, drawChart } from "./draw-chart.ts";

const MAX_VALUES = 1_000;
const FOR_THE_USER = { annotations: { audience: ["user" as const] } };

const input = z.object({
  values: z
    .array(z.number())
    .min(1)
    .max(MAX_VALUES)
    .describe("The numbers to draw, in order, like [3, 5, 8]."),
  labels: z.array(z.string()).optional().describe("What each number is of; as many as there are numbers."),
  kind: z.enum(["bar", "line"]).optional().describe("Bars, which is the default, or a line."),
  title: z.string().max(80).optional().describe("What is written above the chart."),
});

serveStdio(() => {
  const server = new McpServer({ name: "charts", version: "1.0.0" });
  server.registerTool(
    "draw_chart",
    {
      title: "Draw a chart",
      description:
        "Draws a chart, diagram, graph or plot of numbers, as bars or as a line, and gives the user two files: the picture (SVG) and " +
        "the numbers as a table (CSV).",
      inputSchema: input,
      annotations: { ...readsOnly, openWorldHint: false },
    },
    (given) => orFailure(() => drawn(given)),
  );
  return server;
});

function drawn({ values, labels, kind = "bar", title }: z.infer<typeof input>): CallToolResult {
  if (labels && labels.length !== values.length)
    throw new ToolFailure(
      `There are ${values.length} values and ${labels.length} labels: give each its own.`,
    );
  const names = labels ?? values.map((_, at) => String(at + 1));
  const chart: Chart = { kind, values, labels: names, title };
  const name = nameOf(title);
  const picture = Buffer.from(drawChart(chart)).toString("base64");
  const most = Math.max(...values);
  const least = Math.min(...values);
  const range = values.length === 1 ? `of ${most}` : `of ${values.length} values from ${least} to ${most}`;
  return {
    content: [
      { type: "text", text: `Here is a ${kind} chart ${range}, as a picture and as a table.` },
      {
        ...{ type: "resource", ...FOR_THE_USER },
        resource: { uri: `charts://${name}.svg`, mimeType: "image/svg+xml", blob: picture },
      },
      {
        ...{ type: "resource", ...FOR_THE_USER },
        resource: { uri: `charts://${name}.csv`, mimeType: "text/csv", text: chartTable(names, values) },
      },
    ],
  };
}

/** The title as a file is called. */
function nameOf(title = ""): string {
  const plain = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
  return encodeURIComponent(plain.replace(/^-+|(?<!-)-+$/g, "") || "chart");
}
