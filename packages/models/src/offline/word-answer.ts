import type { ToolDefinition } from "../model.ts";
import { isSchema, type Property } from "./json-schema.ts";
import type { Done } from "./recall.ts";
import { inline, spokenName, wordValue } from "./word-value.ts";

const MOST_SHOWN = 20;

/** A step whose calls were made, or that was left out. */
export interface FinishedStep {
  readonly text: string;
  readonly done: readonly Done[];
}

/** Words the answer from what the tools really said, step by step. */
export function wordResults(steps: readonly FinishedStep[]): string {
  const finished = steps.filter(({ done }) => done.length > 0);
  if (finished.length === 1) return finished.map(({ done }) => wordStep(done)).join("");
  const parts = finished.map(({ text, done }) => {
    const body = wordStep(done);
    return isShort(body) ? `- ${sentence(text)} ${body}` : `**${sentence(text)}**\n\n${body}`;
  });
  return joined(parts);
}

/** Several calls of one step: records in one table, anything else in a list. */
function wordStep(done: readonly Done[]): string {
  const [only, ...others] = done;
  if (only !== undefined && others.length === 0) return wordDone(only);
  const records = done.flatMap(({ outcome, value }) =>
    outcome?.failed === false && isSchema(value) ? [value] : [],
  );
  if (records.length === done.length) return wordValue(records);
  return joined(
    done.map((it) => {
      const body = wordDone(it);
      const label = sentence(argumentsInWords(it));
      return isShort(body) ? `- ${label} ${body}` : `**${label}**\n\n${body}`;
    }),
  );
}

function joined(parts: readonly string[]): string {
  return parts.reduce((whole, part, index) => {
    const inList = part.startsWith("- ") && parts[index - 1]?.startsWith("- ");
    return index === 0 ? part : `${whole}${inList ? "\n" : "\n\n"}${part}`;
  }, "");
}

/** What is said about steps that were left out, by default because they waited for one that failed. */
export function wordSkipped(steps: readonly { readonly text: string; readonly reason?: string }[]): string {
  return steps
    .map(({ text, reason = "" }) =>
      reason === ""
        ? `I did not go on with “${text}”, because it needs a result that did not come.`
        : `I did not go on with “${text}”: ${reason}`,
    )
    .join("\n");
}

/** Asks for what a tool still needs. */
export function askForMissing(
  tool: ToolDefinition,
  missing: readonly Property[],
  found: readonly string[] = [],
): string {
  if (missing.length === 0) {
    return `What I found in your words is not what ${spokenName(tool.name)} accepts. Could you say it again, each value by its name?`;
  }
  const wanted = missing.map(({ name, description, schema }) => {
    const choices = Array.isArray(schema.enum) ? ` (one of: ${schema.enum.join(", ")})` : "";
    const explained = description === "" ? "" : `, that is: ${description.replace(/(?<![.\s])[.\s]+$/, "")}`;
    return `the **${spokenName(name)}**${explained}${choices}`;
  });
  const shown = found.slice(0, MOST_SHOWN).map((name) => `\n- ${name}`);
  const there = shown.length > 0 ? `I found these:${shown.join("")}\n\n` : "";
  return `${there}To use ${spokenName(tool.name)} I still need ${wanted.join("; and ")}. What shall I use?`;
}

/** Asks which of several tools is meant. */
export function askWhich(tools: readonly ToolDefinition[]): string {
  const options = tools.map(
    ({ name, description }) => `- **${spokenName(name)}**: ${firstSentence(description)}`,
  );
  return `That could mean one of these:\n${options.join("\n")}\n\nWhich one do you mean?`;
}

/** The first sentence of a description. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text.trim())?.[0] ?? text.trim();
}

function wordDone({ call, outcome, value }: Done): string {
  if (outcome === undefined) return `${spokenName(call.tool)} was called, and what came of it is not known.`;
  if (outcome.failed) return `${spokenName(call.tool)} failed: ${outcome.text.trim() || "it gave no reason"}`;
  if (outcome.text.trim() === "") return `${spokenName(call.tool)} is done; it had nothing to say.`;
  if (typeof value === "number") return wordNumber(value, call.arguments ?? {});
  if (typeof value === "boolean") return value ? "Yes." : "No.";
  // What is words already is told whole: the facts in it need not be all that it says.
  return isJson(outcome.text) ? wordValue(value) : outcome.text.trim();
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function wordNumber(value: number, args: Readonly<Record<string, unknown>>): string {
  const expression = Object.values(args).find(
    (given) => typeof given === "string" && /^[-\d\s.+*/()^%]+$/.test(given),
  );
  // Without the last digits, which are the arithmetic's own noise: 0.1 + 0.2 is 0.3.
  const shown = Number(value.toPrecision(12));
  return expression === undefined ? `The result is ${shown}.` : `${String(expression)} = ${shown}`;
}

function argumentsInWords({ call }: Done): string {
  return Object.entries(call.arguments ?? {})
    .map(([name, value]) => `${spokenName(name)} ${inline(value)}`)
    .join(", ");
}

function isShort(text: string): boolean {
  return text.length <= 200 && !text.includes("\n");
}

function sentence(text: string): string {
  const trimmed = text.replace(/(?<![.!?:;,\s])[.!?:;,\s]+$/, "");
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}:`;
}
