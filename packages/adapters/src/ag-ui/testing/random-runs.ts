import { emptySession, evolve, type PlanStep, type SessionEvent } from "@parley/sessions";
import fc from "fast-check";

const RUN = "run-1";

/** One thing that an agent does, or somebody to it; what it names may not be there yet. */
const move = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      at: fc.nat(5),
      text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restart" as const), at: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("stop" as const), at: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("call" as const), at: fc.nat(4), by: fc.nat(4) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("result" as const),
      at: fc.nat(4),
      by: fc.nat(4),
      failed: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("plan" as const),
      states: fc.array(
        fc.constantFrom<PlanStep["state"]>("pending", "working", "waiting", "completed", "failed"),
        { maxLength: 3 },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("report" as const), text: fc.string({ maxLength: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("show" as const), at: fc.nat(2), by: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("ask" as const), by: fc.nat(4), tool: fc.boolean() }) },
);

type Move = typeof move extends fc.Arbitrary<infer Value> ? Value : never;

const CHANNELS = ["answer", "answer", "branch", "branch", "thinking", "plan"] as const;

/** Who is at work: the agent itself, those that it asked, and one that these asked. */
function origin(by: number): { agent?: string; parentCallId?: string } {
  if (by === 0) return {};
  return { agent: `agent-${by}`, parentCallId: by === 4 ? "call-1" : `call-${by - 1}` };
}

/** The events of a run, legal in every order of moves: each question is answered before anything else happens. */
export const randomRuns = fc
  .record({
    moves: fc.array(move, { maxLength: 40 }),
    end: fc.constantFrom("completed", "failed", "cancelled"),
  })
  .map(({ moves, end }) => {
    const events: SessionEvent[] = [];
    for (const one of moves) events.push(...eventsOf(one, events));
    const state = [begun, ...events].reduce(evolve, emptySession("s"));
    const answers = [...(state.runs.get(RUN)?.texts.values() ?? [])].filter(
      ({ channel }) => channel === "answer",
    );
    const content = answers.map(({ text }) => text).join("");
    const said = { runId: RUN, content, ...(content !== "" && { messageId: `${RUN}-answer` }) };
    const ending: SessionEvent =
      end === "cancelled"
        ? { type: "agent_cancelled", ...said, reason: "The user cancelled it" }
        : { type: "agent_complete", state: end as "completed" | "failed", ...said };
    return { events: [...events, ending], content, end };
  });

const begun: SessionEvent = {
  ...{ type: "agent_start", runId: RUN, agent: "a", agentUrl: "u", contextId: "c" },
  ...{ inputSnapshotHash: "h", messageId: "m" },
};

function eventsOf(one: Move, before: readonly SessionEvent[]): SessionEvent[] {
  switch (one.do) {
    case "say":
      return [
        ...start(one.at, before),
        { type: "agent_token", runId: RUN, artifactId: `a${one.at}`, text: one.text },
      ];
    case "restart":
      return start(one.at, before, true);
    case "stop":
      return [...start(one.at, before), { type: "agent_token_end", runId: RUN, artifactId: `a${one.at}` }];
    case "call":
      return [
        {
          type: "agent_tool_call",
          runId: RUN,
          callId: `call-${one.at}`,
          tool: "look",
          arguments: { at: one.at },
          ...origin(one.by),
        },
      ];
    case "result":
      return [
        {
          type: "agent_tool_result",
          runId: RUN,
          callId: `call-${one.at}`,
          outcome: one.failed ? "failed" : "succeeded",
          result: { one: 1 },
          ...origin(one.by),
        },
      ];
    case "plan":
      return [
        {
          type: "agent_plan",
          runId: RUN,
          steps: one.states.map((state, at) => ({
            id: `${at}`,
            title: `Step ${at}`,
            agent: `agent-${at}`,
            dependencies: [],
            state,
          })),
        },
      ];
    case "report":
      return [{ type: "agent_status", runId: RUN, state: "working", text: one.text }];
    case "show":
      return [
        {
          type: "agent_artifact",
          runId: RUN,
          artifactId: `f${one.at}`,
          parts: [{ data: 1 }],
          ...origin(one.by),
        },
      ];
    case "ask": {
      const approvalId = `${RUN}-ask-${before.length}`;
      return [
        {
          type: "approval_requested",
          runId: RUN,
          approvalId,
          question: "May I?",
          ...(one.tool && { tool: "look" }),
          ...origin(one.by),
        },
        { type: "approval_answered", runId: RUN, approvalId, decision: "approved" },
      ];
    }
  }
}

/** Texts begin with their start; those of one channel have it for ever. */
function start(at: number, before: readonly SessionEvent[], restart = false): SessionEvent[] {
  const artifactId = `a${at}`;
  const isBegun = before.some(
    (event) => event.type === "agent_token_start" && event.artifactId === artifactId,
  );
  if (isBegun && !restart) return [];
  const channel = CHANNELS[at] ?? "answer";
  const whose = channel === "branch" ? origin(at) : {};
  return [
    {
      type: "agent_token_start",
      runId: RUN,
      artifactId,
      channel,
      ...whose,
      ...(isBegun && { restart: true }),
    },
  ];
}
