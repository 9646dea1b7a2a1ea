import type { ToolDefinition } from "../models/model.ts";
import { isSchema, type JsonSchema, type Property, propertiesOf, resolved, typeOf } from "./json-schema.ts";
import { stem, words } from "./tokenise.ts";
import { isValid } from "./valid-value.ts";

/** A step as a plan tells it; the numbers count from 1. */
export interface PlannedStep {
  readonly number: number;
  readonly text: string;
  readonly tool: string;
  readonly after: readonly number[];
}

/** The tool among these that takes a plan: a list of steps that have a title and an owner or an order. */
export function planToolAmong(tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  return tools.find((tool) => {
    const step = stepSchemaOf(tool)?.map(({ name }) => roleOf(name)) ?? [];
    return step.includes("title") && (step.includes("owner") || step.includes("after"));
  });
}

/** The plan as that tool wants it, or undefined where its schema asks for what we do not have. */
export function planArguments(
  tool: ToolDefinition,
  goal: string,
  steps: readonly PlannedStep[],
): Record<string, unknown> | undefined {
  const stepProperties = stepSchemaOf(tool) ?? [];
  const planned = steps.map((step) =>
    Object.fromEntries(stepProperties.flatMap((property) => member(property, stepValue(property, step)))),
  );
  const whole = propertiesOf(tool.inputSchema).flatMap((property) =>
    member(property, property.name === "steps" ? planned : goalValue(property, goal)),
  );
  const plan = Object.fromEntries(whole);
  return isValid(plan, tool.inputSchema) ? plan : undefined;
}

function stepSchemaOf({ inputSchema }: ToolDefinition): Property[] | undefined {
  const steps = propertiesOf(inputSchema).find(
    ({ name, schema }) => name === "steps" && typeOf(schema) === "array",
  );
  const items = steps?.schema.items;
  return isSchema(items) ? propertiesOf(resolved(items, inputSchema), inputSchema) : undefined;
}

function member({ name }: Property, value: unknown): [string, unknown][] {
  return value === undefined ? [] : [[name, value]];
}

function goalValue({ name, required, schema }: Property, goal: string): unknown {
  const fits =
    required && typeOf(schema) === "string" && /goal|title|summary|name|request|task|objective/i.test(name);
  return fits ? goal : undefined;
}

function stepValue({ name, schema, required }: Property, step: PlannedStep): unknown {
  switch (roleOf(name)) {
    case "id":
      return idValue(schema, step.number);
    case "title":
      return step.text;
    case "owner":
      return suits(schema, step.tool) ? step.tool : undefined;
    case "after": {
      const items = isSchema(schema.items) ? schema.items : {};
      return step.after.map((number) => idValue(items, number));
    }
    default:
      return required ? firstChoice(schema) : undefined;
  }
}

function idValue(schema: JsonSchema, number: number): string | number {
  return typeOf(schema) === "integer" || typeOf(schema) === "number" ? number : `step-${number}`;
}

function suits({ enum: choices }: JsonSchema, value: string): boolean {
  return !Array.isArray(choices) || choices.includes(value);
}

function firstChoice({ enum: choices }: JsonSchema): unknown {
  return Array.isArray(choices) ? choices[0] : undefined;
}

function roleOf(name: string): "id" | "title" | "owner" | "after" | undefined {
  const stems = words(name).map(stem);
  const has = (...terms: string[]) => terms.some((term) => stems.includes(stem(term)));
  if (has("dependencies", "depends", "dependency", "after", "needs", "requires", "blocked")) return "after";
  if (has("id", "key", "number")) return "id";
  if (has("title", "description", "task", "text", "name", "content", "instruction", "step")) return "title";
  return has("agent", "owner", "tool", "assignee", "worker", "executor") ? "owner" : undefined;
}
