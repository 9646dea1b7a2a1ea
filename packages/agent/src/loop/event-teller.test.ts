import {
  approvalRequest,
  type ExecutionContext,
  memberIn,
  memberInPart,
  toolCall,
  toolResult,
  usage,
} from "@parley/a2a";
import { describe, expect, it } from "vitest";
import { EventTeller, type TellerOptions } from "./event-teller.ts";
import type { ExecutionEvent } from "./execution-event.ts";
import { artifactText, inShort, joinedText } from "./testing/seen-stream.ts";
import { openJournal, WorkingAgent } from "./testing/working-agent.ts";

const text = (piece: string): ExecutionEvent => ({ type: "text", text: piece });
const complete: ExecutionEvent = {
  type: "complete",
  durationMs: 12,
  usage: { inputTokens: 3, outputTokens: 2 },
};
const call = { id: "c1", tool: "version_service__version", arguments: { deep: true }, text: "{}" };
const ended = { id: "c1", tool: "version_service__version", durationMs: 5 };

/** What a caller sees of a task whose executor tells these events. */
async function told(events: readonly ExecutionEvent[], options: Partial<TellerOptions> = {}) {
  const execute = async (context: ExecutionContext) => {
    const teller = new EventTeller(context, {
      tokens: "artifact",
      thinking: false,
      model: "offline:parley",
      text: "",
      ...options,
    });
    for (const event of events) {
      const ending = await teller.tell(event);
      if (ending) return ending;
    }
    throw new Error("The events have no end");
  };
  const agent = new WorkingAgent({ execute }, await openJournal("memory"));
  const seen = await agent.streamed("go");
  const [first] = seen;
  const id = first && "task" in first ? (first.task?.id ?? "") : "";
  return { seen, lines: seen.map(inShort).slice(2), task: await agent.get(id) };
}

describe("events of an agent, told in A2A", () => {
  it("text: the first chunk has append=false, later ones append=true (S2.4, S2.10)", async () => {
    const { lines } = await told([text("Here"), text(" is"), text(" it"), complete]);
    expect(lines.slice(0, 3)).toEqual([
      'current_result = "Here"',
      'current_result + " is"',
      'current_result + " it"',
    ]);
  });

  it("completion: an empty last chunk closes current_result, then the final status with the usage (S0.14, S0.15, S2.8)", async () => {
    const { lines, seen, task } = await told([text("Here"), complete]);
    expect(lines.slice(1)).toEqual(['current_result +. ""', "completed"]);
    const last = seen.at(-1);
    const metadata = last && "statusUpdate" in last ? last.statusUpdate?.metadata : undefined;
    expect(memberIn(metadata, usage).value).toEqual({
      model: "offline:parley",
      inputTokens: 3,
      outputTokens: 2,
    });
    expect(artifactText(task)).toEqual({ current_result: "Here" });
  });

  it("nothing said: one artifact that says so, and the task completes (S2.11)", async () => {
    const { lines } = await told([complete]);
    expect(lines).toEqual(['current_result =. "The agent finished without saying anything."', "completed"]);
  });

  it("tools: a notice for the call and one for its end, with the call and its result as data (S0.13, S2.6, S2.7)", async () => {
    const { lines, seen } = await told([
      { type: "tool-selected", call },
      {
        type: "tool-result",
        result: { ...ended, outcome: "succeeded", text: "v3", data: { version: "v3" } },
      },
      complete,
    ]);
    expect(lines.slice(0, 2)).toEqual([
      "working: 🔧 Calling tool: version_service__version",
      "working: ✅ Tool completed: version_service__version",
    ]);
    const metadata = seen.map((event) =>
      "statusUpdate" in event ? event.statusUpdate?.metadata : undefined,
    );
    expect(memberIn(metadata[2], toolCall).value).toEqual({
      id: "c1",
      tool: "version_service__version",
      arguments: { deep: true },
    });
    expect(memberIn(metadata[3], toolResult).value).toEqual({
      id: "c1",
      outcome: "succeeded",
      result: { version: "v3" },
      durationMs: 5,
    });
  });

  it("files of a tool: an artifact each, whole in one piece, by an id that follows from the call", async () => {
    const files = [
      { raw: "aGk=", filename: "hi.txt", mediaType: "text/plain" },
      { url: "https://elsewhere.example/x.png", filename: "x.png", mediaType: "image/png" },
    ];
    const { lines, task } = await told([
      { type: "tool-files", callId: "c1", files },
      { type: "tool-files", callId: "c1", files: files.slice(0, 1) },
      complete,
    ]);
    expect(lines.slice(0, 3)).toEqual(['hi.txt =. ""', 'x.png =. ""', 'hi.txt =. ""']);
    expect(task.artifacts?.slice(0, 2)).toEqual(
      files.map((file, index) => ({
        ...{ artifactId: `${task.id}-file-c1-${index}`, name: file.filename, parts: [file] },
      })),
    );
  });

  it.each(["failed", "canceled", "unknown"] as const)(
    "tools: one that ended %s says how, in one line",
    async (outcome) => {
      const { lines, seen } = await told([
        {
          type: "tool-result",
          result: { ...ended, outcome, text: `it rained\n${"and rained ".repeat(100)}` },
        },
        complete,
      ]);
      expect(lines[0]).toBe(`working: ❌ Tool ${outcome}: version_service__version: it rained`);
      const third = seen[2];
      const metadata = third && "statusUpdate" in third ? third.statusUpdate?.metadata : undefined;
      expect(memberIn(metadata, toolResult).value).toEqual({ id: "c1", outcome, durationMs: 5 });
    },
  );

  it("thinking: not shown by default, and an artifact of its own when wanted (S2.5, S2.23)", async () => {
    const events: ExecutionEvent[] = [
      { type: "thinking", text: "Hm, " },
      { type: "thinking", text: "yes." },
      text("Yes"),
      complete,
    ];
    expect((await told(events)).lines).toEqual([
      'current_result = "Yes"',
      'current_result +. ""',
      "completed",
    ]);
    expect((await told(events, { thinking: true })).lines).toEqual([
      'thinking = "Hm, "',
      'thinking + "yes."',
      'current_result = "Yes"',
      'thinking +. ""',
      'current_result +. ""',
      "completed",
    ]);
  });

  it("error: what was said is closed, and the task fails with the message (S2.9)", async () => {
    const { lines } = await told([text("So far"), { type: "error", message: "The model is away" }]);
    expect(lines).toEqual(['current_result = "So far"', 'current_result +. ""', "failed: The model is away"]);
  });

  it("approval: the task waits, with a question in words and as data", async () => {
    const request = {
      id: "c1",
      tool: "sync",
      arguments: { name: "shop" },
      argumentsHash: "h",
      reason: "It changes.",
    };
    const { lines, task } = await told([text("Well"), { type: "approval-needed", request }]);
    expect(lines).toEqual([
      'current_result = "Well"',
      'input_required: May I call sync with {"name":"shop"}? Answer yes or no.|{}',
    ]);
    const part = task.status.message?.parts[1];
    expect(part && memberInPart(part, approvalRequest).value).toEqual(request);
  });

  it("after a crash: what was delivered is taken back by append=false on the same artifact", async () => {
    const restart: ExecutionEvent = { type: "text-restart", text: "Again" };
    const { lines } = await told([restart, text(", whole"), complete]);
    expect(lines).toEqual([
      'current_result = "Again"',
      'current_result + ", whole"',
      'current_result +. ""',
      "completed",
    ]);
  });

  it("errors: an exception fails the task with its message, and nothing more is said (S2.15)", async () => {
    const { lines } = await told([text("Here")]);
    expect(lines).toEqual(['current_result = "Here"', "failed: The events have no end"]);
  });
});

describe("tokens as status updates (S0.12)", () => {
  const tokens = "status" as const;

  it("are working statuses, each with a messageId of its own, and the closing artifact has the whole text", async () => {
    const { lines, seen, task } = await told([text(" H"), text("ere"), complete], { tokens });
    expect(lines).toEqual(["working:  H", "working: ere", 'current_result =. " Here"', "completed"]);
    const ids = seen.flatMap((event) =>
      "statusUpdate" in event ? (event.statusUpdate?.status.message?.messageId ?? []) : [],
    );
    expect(new Set(ids).size).toBe(2);
    expect(artifactText(task)).toEqual(joinedText(seen));
  });

  it("go on after a turn that waited: the artifact has what was said in both", async () => {
    const { lines } = await told([text("ere"), complete], { tokens, text: "H" });
    expect(lines).toEqual(["working: ere", 'current_result =. "Here"', "completed"]);
  });

  it("go on after a crash: the artifact has each text once", async () => {
    const { lines } = await told([{ type: "text-restart", text: "One. " }, text("Two."), complete], {
      tokens,
    });
    expect(lines).toEqual(["working: Two.", 'current_result =. "One. Two."', "completed"]);
  });

  it("say nothing: the artifact says so", async () => {
    const { lines } = await told([complete], { tokens });
    expect(lines[0]).toMatch(/finished without saying anything/);
  });
});
