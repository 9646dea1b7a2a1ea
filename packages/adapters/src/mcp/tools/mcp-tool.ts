import type { Tool, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { parseField } from "../../problem.ts";
import type { McpCaller, McpToolCall, ToolOutcome } from "../mcp-caller.ts";

/** A tool's definition and implementation. */
export interface McpTool {
  readonly definition: Tool;
  /** Throws a `Problem` that names the invalid argument, or says why the call failed. */
  call(caller: McpCaller, given: unknown, call: McpToolCall): Promise<ToolOutcome>;
}

interface ToolParts<Input extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output?: z.ZodType;
  readonly annotations: ToolAnnotations;
  readonly run: (caller: McpCaller, given: z.infer<Input>, call: McpToolCall) => Promise<ToolOutcome>;
}

type ObjectSchema = Tool["inputSchema"];

/** A tool whose arguments are checked by the schema that clients are shown. */
export function mcpTool<Input extends z.ZodType>(parts: ToolParts<Input>): McpTool {
  const { name, title, description, input, output, annotations, run } = parts;
  return {
    definition: {
      ...{ name, title, description, annotations },
      inputSchema: z.toJSONSchema(input, { io: "input" }) as ObjectSchema,
      ...(output && { outputSchema: z.toJSONSchema(output) as ObjectSchema }),
    },
    call: async (caller, given, call) => run(caller, parseField("arguments", input, given ?? {}), call),
  };
}

/** The id of a session, as an argument. */
export const sessionArgument = z.string().min(1).max(150).describe("The session's id");
