import { emptySession, evolve, type SessionEvent } from "@parley/sessions";
import fc from "fast-check";

type Channel = "answer" | "branch" | "plan" | "thinking";
type Deed =
  | { readonly does: "say"; readonly artifact: number; readonly text: string; readonly ends: boolean }
  | { readonly does: "restart"; readonly artifact: number }
  | { readonly does: "call"; readonly agent: number; readonly tool: number }
  | { readonly does: "result"; readonly call: number; readonly outcome: number }
  | { readonly does: "ask"; readonly tool: number; readonly arguments: boolean }
  | { readonly does: "answer"; readonly approval: number; readonly decision: number }
  | { readonly does: "plan" | "status" | "file" | "tell"; readonly word: string };

const RUN = "run_1";
const CHANNELS: readonly Channel[] = ["answer", "answer", "branch", "thinking", "plan", "answer"];
const OUTCOMES = ["succeeded", "failed", "canceled", "unknown"] as const;
const DECISIONS = ["approved", "denied", "answered"] as const;
const text = fc.string({ unit: "binary", minLength: 1, maxLength: 12 }).filter((it) => it.isWellFormed());
const few = fc.nat(5);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ does: fc.constant("say" as const), artifact: few, text, ends: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("restart" as const), artifact: few }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("call" as const), agent: fc.nat(1), tool: fc.nat(2) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("result" as const), call: few, outcome: fc.nat(3) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant("ask" as const), tool: fc.nat(3), arguments: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("answer" as const), approval: few, decision: fc.nat(2) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom("plan", "status", "file", "tell"), word: text }),
  },
);

/** A generated run: what its agent does, and how it ends. */
export const runStories = fc.record({
  deeds: fc.array(deed, { maxLength: 40 }),
  ending: fc.constantFrom("completed", "failed", "cancelled"),
});

/** A generated run as recorded: its session events, and the final text of its message. */
export function runStory({
  deeds,
  ending,
}: typeof runStories extends fc.Arbitrary<infer Story> ? Story : never) {
  const events: SessionEvent[] = [
    {
      type: "agent_start",
      runId: RUN,
      agent: "supervisor",
      agentUrl: "u",
      contextId: "c",
      inputSnapshotHash: "h",
      messageId: "m",
    },
  ];
  const begun = new Set<number>();
  const calls: { readonly callId: string; readonly agent: string }[] = [];
  const open: string[] = [];
  let asked = 0;
  const start = (artifact: number, restart: boolean) => {
    const channel = CHANNELS[artifact] ?? "answer";
    begun.add(artifact);
    events.push({
      ...{ type: "agent_token_start", runId: RUN, artifactId: `a${artifact}`, channel },
      ...(channel === "branch" && { agent: "git" }),
      ...(restart && { restart }),
    });
  };
  const tell = (one: Deed) => {
    switch (one.does) {
      case "say": {
        const artifactId = `a${one.artifact}`;
        if (!begun.has(one.artifact)) start(one.artifact, false);
        events.push({ type: "agent_token", runId: RUN, artifactId, text: one.text });
        if (one.ends) events.push({ type: "agent_token_end", runId: RUN, artifactId });
        return;
      }
      case "restart":
        if (begun.has(one.artifact)) start(one.artifact, true);
        return;
      case "call": {
        const call = { callId: `call_${one.tool}`, agent: `agent-${one.agent}` };
        calls.push(call);
        events.push({
          type: "agent_tool_call",
          runId: RUN,
          ...call,
          tool: `tool-${one.tool}`,
          arguments: {},
        });
        return;
      }
      case "result": {
        const call = calls[one.call] ?? { callId: "unheard-of", agent: "agent-0" };
        events.push({
          type: "agent_tool_result",
          runId: RUN,
          ...call,
          outcome: OUTCOMES[one.outcome] ?? "unknown",
        });
        return;
      }
      case "ask": {
        const approvalId = `${RUN}-ask-${++asked}`;
        open.push(approvalId);
        const tool = one.tool < 3 ? { tool: `tool-${one.tool}`, agent: "agent-0" } : {};
        events.push({
          ...{ type: "approval_requested", runId: RUN, approvalId, question: "May I?", ...tool },
          ...(one.arguments && { arguments: {} }),
        });
        return;
      }
      case "answer": {
        const [approvalId] = open.splice(one.approval % Math.max(1, open.length), 1);
        if (approvalId === undefined) return;
        const decision = DECISIONS[one.decision] ?? "approved";
        events.push({ type: "approval_answered", runId: RUN, approvalId, decision });
        return;
      }
      case "plan": {
        const steps = [{ id: "s", title: one.word, dependencies: [], state: "working" as const }];
        events.push({ type: "agent_plan", runId: RUN, steps });
        return;
      }
      case "status":
        events.push({ type: "agent_status", runId: RUN, state: "working", text: one.word });
        return;
      case "file": {
        const parts = [{ raw: btoa("x"), mediaType: "text/plain" }, { data: one.word }];
        events.push({ type: "agent_artifact", runId: RUN, artifactId: "file", parts });
        return;
      }
      case "tell":
        events.push({ type: "user_message", runId: RUN, messageId: `u${events.length}`, content: one.word });
    }
  };
  for (const one of deeds) tell(one);
  const { runs } = events.reduce(evolve, emptySession("s"));
  const answers = [...(runs.get(RUN)?.texts.values() ?? [])].filter(({ channel }) => channel === "answer");
  const content = answers.map((answer) => answer.text).join("");
  events.push(
    ending === "cancelled"
      ? { type: "agent_cancelled", runId: RUN, content, reason: "Enough" }
      : {
          type: "agent_complete",
          runId: RUN,
          content,
          state: ending as "completed" | "failed",
          reason: "Broken",
        },
  );
  return {
    runId: RUN,
    content,
    ending,
    events: events.map((event, at) => ({ index: at + 1, at: 0, event })),
  };
}
