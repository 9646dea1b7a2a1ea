import { emptySession, evolveAll, type SessionEvent, type SessionState } from "@parley/sessions";
import { cpuGrowth } from "@parley/testing/cpu-growth.ts";
import { describe, expect, it } from "vitest";
import { matchByContent, matchTrimmedHistory } from "./match-by-content.ts";
import { matchByIdOrContent } from "./match-by-id-or-content.ts";

const created: SessionEvent = { type: "session_created", workspace: "w", owner: "o", title: "" };

/** A session of so many exchanges, and all that was said in it. */
function session(exchanges: number, answer = "Hi"): SessionState {
  const events = Array.from({ length: exchanges }, (_, at): SessionEvent[] => [
    { type: "user_message", messageId: `m${at}`, content: "Hello" },
    { type: "agent_message", messageId: `run-${at}-answer`, runId: `run-${at}`, content: answer },
  ]);
  return evolveAll(emptySession("s"), [created, ...events.flat()]);
}

const states = new Map([200, 2_000].map((exchanges) => [exchanges, session(exchanges)]));
const stateOf = (exchanges: number) => states.get(exchanges) ?? session(exchanges);
const toldIn = ({ messages }: SessionState, renamed = "") =>
  messages.map(({ id, role, content }, at) => ({ id: `${renamed}${id}`, role, content, at }));

describe("the comparison of a client's history with a session", () => {
  it("takes linear time by id or content, also where the client's ids are new", async () => {
    const compare = (exchanges: number) => {
      const state = stateOf(exchanges);
      for (const renamed of ["", "other-", "-".repeat(40)])
        expect(matchByIdOrContent(state, toldIn(state, renamed)).place).toBe(state.messages.length);
    };
    expect(await cpuGrowth(compare, 200)).toBeLessThan(20);
  });

  it("takes linear time by content, from the beginning and from the end", async () => {
    const compare = (exchanges: number) => {
      const state = stateOf(exchanges);
      const told = toldIn(state);
      expect(matchByContent(state, told).matched).toBe(told.length);
      expect(matchTrimmedHistory(state, told.slice(-3))).toBeDefined();
    };
    expect(await cpuGrowth(compare, 200)).toBeLessThan(20);
  });

  it("reads a long answer once, however often the client has it", async () => {
    const compare = (repeated: number) => {
      const runId = "r";
      const about = { agent: "a", agentUrl: "u", contextId: "c", inputSnapshotHash: "h", messageId: "m" };
      const state = evolveAll(emptySession("s"), [
        created,
        { type: "user_message", messageId: "m", content: "Hello" },
        { type: "agent_start", runId, ...about },
        { type: "agent_token", runId, artifactId: "a", text: "word ".repeat(20_000) },
        { type: "user_message", messageId: "n", content: "More", runId },
      ]);
      const cut = Array.from({ length: repeated }, () => ({ role: "assistant" as const, content: "word" }));
      matchByContent(state, [{ role: "user", content: "Hello" }, ...cut]);
    };
    // The answer alone costs far more than what is compared with it.
    expect(await cpuGrowth(compare, 20)).toBeLessThan(4);
  });
});
