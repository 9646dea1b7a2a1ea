import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { answer, orFailure, readsOnly } from "../tool-answer.ts";
import { evaluate } from "./evaluate.ts";

serveStdio(() => {
  const server = new McpServer({ name: "calculator", version: "1.0.0" });
  server.registerTool(
    "evaluate",
    {
      title: "Calculate",
      description:
        "Calculates the value of an arithmetic expression: add, subtract, multiply, divide, powers, roots, percent, " +
        "factorial, remainder, minimum, maximum, sum, mean, average, median, rounding, logarithms and trigonometry. " +
        "Use it for every sum, product, difference or other calculation with numbers.",
      inputSchema: z.object({
        expression: z
          .string()
          .describe(
            "The expression to calculate, in numbers and operators without units, like 2+2, (17.5 * 4) / 3, 15% of 80, " +
              "2^10, sqrt(2), round(10/3, 2), mean(1, 2, 3) or sin(pi/2); angles are in radians.",
          ),
      }),
      outputSchema: z.object({
        expression: z.string().describe("What was calculated."),
        result: z.number().describe("Its value, to 15 digits."),
        approximate: z.boolean().describe("Whether the value is too large for all its digits to be known."),
      }),
      annotations: { ...readsOnly, openWorldHint: false },
    },
    ({ expression }) =>
      orFailure(() => {
        const result = evaluate(expression);
        const approximate = Math.abs(result) > Number.MAX_SAFE_INTEGER;
        const shown = approximate ? `≈ ${result.toExponential()}` : `= ${result}`;
        return answer(`${expression.trim()} ${shown}`, {
          expression: expression.trim(),
          result,
          approximate,
        });
      }),
  );
  return server;
});
