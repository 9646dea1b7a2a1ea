import { z } from "zod";
import type { Json } from "../protocol/model.ts";
import { type ExtensionMember, extensionMember } from "./extension-member.ts";

const json: z.ZodType<Json> = z.json();
const id = z.string().min(1);
const text = z.string().exactOptional();
const amount = z.int().nonnegative();

/** Asks a person whether a tool may be called with just these arguments. */
export const approvalRequest = extensionMember("approvalRequest", {
  id,
  tool: id,
  arguments: json.exactOptional(),
  /** Binds the answer to the arguments that were shown. */
  argumentsHash: id,
  reason: text,
});

export type ApprovalRequest = z.infer<typeof approvalRequest.schema>;

/** A person's decision; it holds only for the tool and the arguments of the request. */
export const approvalAnswer = extensionMember("approvalAnswer", {
  id,
  decision: z.enum(["approved", "denied"]),
  /** What to call the tool with instead of what was shown. */
  arguments: json.exactOptional(),
  tool: id,
  argumentsHash: id,
  note: text,
});

export type ApprovalAnswer = z.infer<typeof approvalAnswer.schema>;

/** In the metadata of a message: the agents that handed it down, by address, the first one first. */
export const delegationChain = extensionMember("delegationChain", {
  agents: z.array(z.object({ name: z.string(), url: id })).max(100),
});

export type DelegationChain = z.infer<typeof delegationChain.schema>;

/** Where a piece comes from: the agent and the task that made it, and how deep below the user's own. */
export const provenance = extensionMember("provenance", {
  agent: id,
  taskId: text,
  artifactId: text,
  /** The tool call that it came from. */
  callId: text,
  depth: amount,
});

export type Provenance = z.infer<typeof provenance.schema>;

const planStep = z.object({
  id,
  title: z.string(),
  agent: text,
  /** The steps that come before it, by id. */
  dependencies: z.array(z.string()),
  /** `waiting`: it has begun and continues when a person has answered. */
  state: z.enum(["pending", "working", "waiting", "completed", "failed", "canceled", "skipped"]),
});

/** A plan and how far it is. */
export const planState = extensionMember("execution_plan_state", { steps: z.array(planStep) });

export type PlanState = z.infer<typeof planState.schema>;

/** In the metadata of a request: plans wait for the user's approval before they are carried out. */
export const planApproval = extensionMember("planApproval", { required: z.boolean() });

/** What the user decides about a plan: whether it is carried out at all, and which of its steps are not. */
export const planDecision = extensionMember("planDecision", {
  approved: z.boolean().exactOptional(),
  /** The ids of steps that are not started, or are stopped if started. */
  skip: z.array(z.string()).exactOptional(),
});

export type PlanDecision = z.infer<typeof planDecision.schema>;

const snapshotMessage = z.object({
  messageId: text,
  role: z.enum(["user", "agent"]),
  agent: text,
  text: z.string(),
});

/** The run that a call belongs to, and the last messages of its session for an agent without its own history. */
export const sessionSnapshot = extensionMember("session", {
  runId: id,
  sessionId: text,
  /** Oldest first. */
  messages: z.array(snapshotMessage).max(1_000),
});

/** In the metadata of an artifact: it repeats, whole, what another artifact was streamed as. */
export const snapshot = extensionMember("snapshot", {
  /** The artifact that was streamed. */
  artifactId: id,
});

/** A tool that is about to be called; recorded before it runs. */
export const toolCall = extensionMember("toolCall", {
  id,
  tool: id,
  arguments: json,
});

/** Content that is too large to travel along, by its hash. */
const blob = z.object({
  hash: id,
  size: amount,
  mediaType: text,
});

/** How the call with this id ended; `unknown` if a crash came in between. */
export const toolResult = {
  name: "toolResult",
  schema: z
    .object({
      id,
      outcome: z.enum(["succeeded", "failed", "canceled", "unknown"]),
      result: json.exactOptional(),
      blob: blob.exactOptional(),
      durationMs: z.number().nonnegative(),
    })
    .refine(({ result, blob: large }) => result === undefined || large === undefined, {
      message: "a result is there or in a blob, not both",
      path: ["blob"],
    }),
} satisfies ExtensionMember<unknown>;

/** An amount in a currency of ISO 4217. */
const money = z.object({
  amount: z.number().nonnegative(),
  currency: z.string().regex(/^[A-Z]{3}$/),
});

/** What a turn of a model used. */
export const usage = extensionMember("usage", {
  model: text,
  inputTokens: amount,
  outputTokens: amount,
  /** Those of the input that were in a cache. */
  cachedTokens: amount.exactOptional(),
  cost: money.exactOptional(),
});

export type Usage = z.infer<typeof usage.schema>;

/** What is left for a call and all below it; what is not named is not limited. */
export const budget = extensionMember("budget", {
  timeMs: z.number().nonnegative().exactOptional(),
  tokens: amount.exactOptional(),
  cost: money.exactOptional(),
  /** How many further levels of delegation. */
  depth: amount.exactOptional(),
  /** How many calls at once. */
  fanOut: amount.exactOptional(),
});

export type Budget = z.infer<typeof budget.schema>;
