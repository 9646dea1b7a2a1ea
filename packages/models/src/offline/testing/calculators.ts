import type { WorkingTool } from "./converse.ts";
import { number, text, tool } from "./tool-definition.ts";

/** A calculator that takes an expression. */
export const expressionCalculator: readonly WorkingTool[] = [
  tool(
    "evaluate",
    "Evaluates an arithmetic expression and returns the number.",
    { expression: { ...text, description: "The expression" } },
    {
      run: ({ expression }) => {
        if (!/^[-\d\s.+*/()]+$/.test(String(expression))) throw new Error("not an expression");
        return Number(new Function(`return ${String(expression)}`)());
      },
    },
  ),
];

const two = { a: number, b: number };

/** A calculator with one tool for each operation, each of which answers in another form. */
export const operationCalculator: readonly WorkingTool[] = [
  tool("add", "Adds two numbers.", two, { run: ({ a, b }) => Number(a) + Number(b) }),
  tool("subtract", "Subtracts b from a.", two, { run: ({ a, b }) => ({ result: Number(a) - Number(b) }) }),
  tool("multiply", "Multiplies two numbers.", two, {
    run: ({ a, b }) => `The product is ${Number(a) * Number(b)}`,
  }),
  tool("divide", "Divides a by b.", two, {
    run: ({ a, b }) => {
      if (b === 0) throw new Error("division by zero");
      return Number(a) / Number(b);
    },
  }),
];

/** A calculator that takes a list, and the operation as a choice. */
export const choiceCalculator: readonly WorkingTool[] = [
  tool(
    "calculator",
    "Does a calculation with a list of numbers.",
    {
      operation: { ...text, enum: ["sum", "product", "difference"] },
      numbers: { type: "array", items: number, minItems: 2 },
    },
    {
      run: ({ operation, numbers }) =>
        (numbers as number[]).reduce((a, b) =>
          operation === "sum" ? a + b : operation === "product" ? a * b : a - b,
        ),
    },
  ),
];
