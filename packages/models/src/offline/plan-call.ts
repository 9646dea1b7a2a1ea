import type { ToolCall, ToolDefinition } from "../model.ts";
import { isSchema, type JsonSchema, type Property, propertiesOf, typeOf } from "./json-schema.ts";
import { stem, words } from "./tokenise.ts";
import { isValid } from "./valid-value.ts";

const LONGEST_TITLE = 80;
/** Each step of a plan has all of them. */
const MAX_STEP_PROPERTIES = 100;
/** How the id of a call that gives our plan ends. */
export const PLAN_CALL = "_plan";

/** A step as a plan tells it; the numbers count from 1. */
export interface PlannedStep {
  readonly number: number;
  readonly text: string;
  readonly tool: string;
  readonly after: readonly number[];
  /** What the owner is told, with all that it needs. */
  readonly order: string;
}

/** The tool among these that takes a plan: a list of steps that have a title and an owner or an order. */
export function planToolAmong(tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  return tools.find((tool) => {
    const properties = stepSchemaOf(tool);
    const roles = rolesIn(properties);
    return (
      properties.length <= MAX_STEP_PROPERTIES &&
      roles.has("title") &&
      (roles.has("owner") || roles.has("after"))
    );
  });
}

/** Whether a plan tool also does what it is given: its steps say what each owner is to be told. */
export function carriesOut(tool: ToolDefinition): boolean {
  const roles = rolesIn(stepSchemaOf(tool));
  return roles.has("title") && roles.has("owner") && roles.has("order");
}

/** Whether a call gave a plan to a tool: ours by its id, another model's by its steps. */
export function isPlan({ id, arguments: args }: ToolCall): boolean {
  if (id.endsWith(PLAN_CALL)) return true;
  if (/_step_\d+$/.test(id)) return false;
  const steps = Array.isArray(args?.steps) ? args.steps.filter(isSchema) : [];
  const roles = steps.map((step) => new Set(Object.keys(step).map(roleOf)));
  return roles.length > 0 && roles.every((has) => has.has("title") && (has.has("owner") || has.has("after")));
}

/** The plan as that tool wants it, or undefined where its schema asks for what we do not have. */
export function planArguments(
  tool: ToolDefinition,
  goal: string,
  steps: readonly PlannedStep[],
): Record<string, unknown> | undefined {
  const stepProperties = stepSchemaOf(tool);
  const roles = rolesIn(stepProperties);
  const planned = steps.map((step) => {
    const title = roles.has("order") ? shortened(step.text) : step.text;
    return Object.fromEntries(
      stepProperties.flatMap((property) => member(property, stepValue(property, { ...step, text: title }))),
    );
  });
  const whole = propertiesOf(tool.inputSchema).flatMap((property) =>
    member(property, property.name === "steps" ? planned : goalValue(property, goal)),
  );
  const plan = Object.fromEntries(whole);
  return isValid(plan, tool.inputSchema) ? plan : undefined;
}

/** The part that a property of a plan's step plays. */
export type StepRole = "id" | "title" | "owner" | "after" | "order";

/** The part that a property of this name plays in a plan's step. */
export function roleOf(name: string): StepRole | undefined {
  const stems = words(name).map(stem);
  const has = (...terms: string[]) => terms.some((term) => stems.includes(stem(term)));
  if (has("dependencies", "depends", "dependency", "after", "needs", "requires", "blocked")) return "after";
  if (has("id", "key", "number")) return "id";
  if (has("request", "instruction", "message", "prompt", "input")) return "order";
  if (has("title", "description", "task", "text", "name", "content", "step")) return "title";
  return has("agent", "owner", "tool", "assignee", "worker", "executor") ? "owner" : undefined;
}

/** Where nothing else is a title, what the owner is told is one. */
function rolesIn(properties: readonly Property[]): Set<StepRole | undefined> {
  const roles = new Set(properties.map(({ name }) => roleOf(name)));
  if (!roles.has("title") && roles.delete("order")) roles.add("title");
  return roles;
}

function stepSchemaOf({ inputSchema }: ToolDefinition): readonly Property[] {
  const steps = propertiesOf(inputSchema).find(
    ({ name, schema }) => name === "steps" && typeOf(schema) === "array",
  );
  const items = steps?.schema.items;
  return isSchema(items) ? propertiesOf(items, inputSchema) : [];
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
    case "order":
      return step.order;
    case "owner":
      return suits(schema, step.tool) ? step.tool : undefined;
    case "after": {
      const items = isSchema(schema.items) ? schema.items : {};
      return step.after.map((number) => idValue(items, number));
    }
    case undefined:
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

/** The beginning of a text on one line, cut between two words. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= LONGEST_TITLE) return line;
  return `${line.slice(0, LONGEST_TITLE - 1).replace(/(?<!\s)\s+\S*$/, "")}…`;
}
