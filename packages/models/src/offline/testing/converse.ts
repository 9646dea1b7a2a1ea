import type { Model, ModelMessage, ToolCall, ToolDefinition, ToolOutcome } from "../../model.ts";
import { collected } from "../../testing/collected.ts";
import { offlineModel } from "../offline-model.ts";

/** A tool that really does something, for conversations with a model. */
export interface WorkingTool extends ToolDefinition {
  readonly run: (args: Readonly<Record<string, unknown>>) => unknown;
}

export interface Conversation {
  readonly messages: readonly ModelMessage[];
  /** The answer to each thing the user said. */
  readonly answers: readonly string[];
  /** Calls by turn: those of one turn were asked for at once. */
  readonly turns: readonly (readonly ToolCall[])[];
}

const MOST_TURNS = 20;

/** Lets a user say these things, one after the other, to a model with these tools. */
export async function converse(
  tools: readonly WorkingTool[],
  said: readonly string[],
  model: Model = offlineModel(),
): Promise<Conversation> {
  const messages: ModelMessage[] = [];
  const answers: string[] = [];
  const turns: ToolCall[][] = [];
  const definitions = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  for (const text of said) {
    messages.push({ role: "user", text });
    for (let turn = 0; ; turn += 1) {
      if (turn === MOST_TURNS) throw new Error(`No answer to "${text}" after ${MOST_TURNS} turns`);
      const {
        text: answer,
        calls,
        error,
      } = await collected(model, { messages: [...messages], tools: definitions });
      if (error !== undefined) throw error;
      messages.push({ role: "assistant", text: answer, calls });
      if (calls.length === 0) {
        answers.push(answer);
        break;
      }
      turns.push([...calls]);
      messages.push({
        role: "tool",
        outcomes: await Promise.all(calls.map((call) => outcomeOf(tools, call))),
      });
    }
  }
  return { messages, answers, turns };
}

async function outcomeOf(
  tools: readonly WorkingTool[],
  { id, tool, arguments: args = {} }: ToolCall,
): Promise<ToolOutcome> {
  try {
    const result = await tools.find(({ name }) => name === tool)?.run(args);
    return { id, tool, failed: false, text: typeof result === "string" ? result : JSON.stringify(result) };
  } catch (error) {
    return { id, tool, failed: true, text: error instanceof Error ? error.message : String(error) };
  }
}
