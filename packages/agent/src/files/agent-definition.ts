import { z } from "zod";
import type { McpServerConfigurations } from "../mcp/mcp-servers.ts";
import type { StdioServerConfiguration } from "../mcp/server-configuration.ts";
import { type ApprovalRules, approvalMode } from "./approval.ts";

const text = z.string().min(1);
const count = z.int().min(1);

const skill = z.strictObject({
  id: text,
  name: text,
  description: text,
  tags: z.array(z.string()).default([]),
  examples: z.array(z.string()).default([]),
});

const mediaType = z.string().regex(/^[\w.+-]+\/[\w.+-]+$/, "expected a media type like image/png");

const limits = z.strictObject({
  steps: count.optional(),
  seconds: z.number().min(0.001).optional(),
  tokens: count.optional(),
  parallel: count.optional(),
  toolSeconds: z.number().min(0.001).max(86_400).optional(),
});

const approval = z.preprocess(
  (value) => (typeof value === "string" ? { default: value } : value),
  z.strictObject({
    default: approvalMode.optional(),
    tools: z.record(z.string(), approvalMode).default({}),
  }),
);

const port = z.custom<`+${number}` | number>(
  (value) =>
    (typeof value === "string" && /^\+\d{1,5}$/.test(value)) ||
    (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535),
  "expected a port like 8001, or +1 for the one after the main port",
);

export const agentFrontMatter = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/, "expected small letters, digits, - and _, beginning with a letter")
    .optional(),
  description: text,
  version: text.default("1.0.0"),
  skills: z.array(skill).default([]),
  outputModes: z.array(mediaType).default([]),
  model: text.optional(),
  mcpServers: z.unknown().optional(),
  program: z.unknown().optional(),
  approval: approval.optional(),
  limits: limits.default({}),
  thinking: z.boolean().default(false),
  tokens: z.enum(["artifact", "status"]).default("artifact"),
  port: port.optional(),
});

type AgentSkill = z.infer<typeof skill>;
/** What one turn of work may use; the loop has defaults for what is left out. */
export type AgentLimits = z.infer<typeof limits>;
/** A port, or how far it is from the main one. */
export type AgentPort = { readonly fixed: number } | { readonly afterMain: number };

/** An agent as its file describes it. */
export interface AgentDefinition {
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly skills: readonly AgentSkill[];
  /** The media types of its answers besides text: what its tools give. */
  readonly outputModes: readonly string[];
  /** `provider:model`; undefined means the platform's. */
  readonly model?: string;
  readonly mcpServers: McpServerConfigurations;
  readonly approval: ApprovalRules;
  readonly limits: AgentLimits;
  readonly thinking: boolean;
  /** Whether tokens are sent as pieces of an artifact or as status updates (S0.12). */
  readonly tokens: "artifact" | "status";
  readonly port?: AgentPort;
  /** It is no model with tools, but this program, which serves A2A on the port that it is given. */
  readonly program?: StdioServerConfiguration;
  readonly instructions: string;
}
