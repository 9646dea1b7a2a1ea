import fc from "fast-check";
import type { Json } from "../../protocol/model.ts";
import type { ExtensionMember } from "../extension-member.ts";
import {
  approvalAnswer,
  approvalRequest,
  budget,
  delegationChain,
  planApproval,
  planDecision,
  planState,
  provenance,
  sessionSnapshot,
  snapshot,
  toolCall,
  toolResult,
  usage,
} from "../members.ts";

const id = fc.string({ minLength: 1, maxLength: 20 });
const text = fc.string();
const count = fc.nat();
const time = fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0);
const cost = fc.record({ amount: time, currency: fc.constantFrom("EUR", "USD") });
// JSON has no negative zero, and a member of that name would be the object's prototype.
const json = fc
  .jsonValue()
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll("__proto__", "p")) as Json);

const optional = <Value extends object, Required extends keyof Value>(
  members: { [Name in keyof Value]: fc.Arbitrary<Value[Name]> },
  requiredKeys: Required[],
) => fc.record(members, { requiredKeys, noNullPrototype: true });

const message = optional({ messageId: id, agent: id, role: fc.constantFrom("user", "agent"), text }, [
  "role",
  "text",
]);
const step = optional(
  {
    id,
    title: text,
    agent: id,
    dependencies: fc.array(id, { maxLength: 3 }),
    state: fc.constantFrom("pending", "working", "waiting", "completed", "failed", "canceled", "skipped"),
  },
  ["id", "title", "dependencies", "state"],
);
const outcome = fc.constantFrom("succeeded", "failed", "canceled", "unknown");
const blob = optional({ hash: id, size: count, mediaType: text }, ["hash", "size"]);

/** Every member of the extension, with values of its kind. */
export const MEMBERS: readonly (readonly [ExtensionMember<unknown>, fc.Arbitrary<unknown>])[] = [
  [
    sessionSnapshot,
    optional({ runId: id, sessionId: id, messages: fc.array(message, { maxLength: 4 }) }, [
      "runId",
      "messages",
    ]),
  ],
  [snapshot, fc.record({ artifactId: id })],
  [planApproval, fc.record({ required: fc.boolean() })],
  [planDecision, optional({ approved: fc.boolean(), skip: fc.array(text, { maxLength: 3 }) }, [])],
  [delegationChain, fc.record({ agents: fc.array(fc.record({ name: text, url: id }), { maxLength: 3 }) })],
  [toolCall, fc.record({ id, tool: id, arguments: json })],
  [
    toolResult,
    fc.oneof(
      optional({ id, outcome, result: json, durationMs: time }, ["id", "outcome", "durationMs"]),
      fc.record({ id, outcome, blob, durationMs: time }),
    ),
  ],
  [
    provenance,
    optional({ agent: id, taskId: id, artifactId: id, callId: id, depth: count }, ["agent", "depth"]),
  ],
  [budget, optional({ timeMs: time, tokens: count, cost, depth: count, fanOut: count }, [])],
  [planState, fc.record({ steps: fc.array(step, { maxLength: 4 }) })],
  [
    approvalRequest,
    optional({ id, tool: id, arguments: json, argumentsHash: id, reason: text }, [
      "id",
      "tool",
      "argumentsHash",
    ]),
  ],
  [
    approvalAnswer,
    optional(
      { id, decision: fc.constantFrom("approved", "denied"), tool: id, argumentsHash: id, note: text },
      ["id", "decision", "tool", "argumentsHash"],
    ),
  ],
  [
    usage,
    optional({ model: text, inputTokens: count, outputTokens: count, cachedTokens: count, cost }, [
      "inputTokens",
      "outputTokens",
    ]),
  ],
];
