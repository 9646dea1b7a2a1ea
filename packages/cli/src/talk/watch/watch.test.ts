import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { gapless, linesIn, Story } from "@parley/testing/story.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { talkGround } from "../testing/talk-ground.ts";

const ground = talkGround();

/** Asks something, and returns the session in which it was answered, with all that is recorded of it. */
async function answered(...args: readonly string[]) {
  const { output } = await ground().run(["chat", "--json", ...args]);
  const sessionId = String(JSON.parse(output.trimEnd().split("\n").at(-1) ?? "").sessionId);
  const { events } = await ground().client.listEvents(sessionId, { limit: 500 });
  return { sessionId, events };
}

/** The output of a running command so far, and a wait for more. */
class Output {
  text = "";
  readonly child: ChildProcess;
  errors = "";

  constructor(args: readonly string[]) {
    this.child = ground().start(args);
    this.child.stdout?.on("data", (text) => (this.text += text));
    this.child.stderr?.on("data", (text) => (this.errors += text));
    onTestFinished(() => void this.child.kill("SIGKILL"));
  }

  see(words: string): Promise<unknown> {
    return expect.poll(() => this.text + this.errors, { timeout: 60_000 }).toContain(words);
  }
}

describe("parley replay", { timeout: 180_000 }, () => {
  it("shows a session as the chat showed it (S4.29)", async () => {
    const { sessionId } = await answered("What is the version of Argo CD, and what is 6 times 7?");
    const { code, output } = await ground().run(["replay", sessionId, "--speed", "max"]);
    expect(code).toBe(0);
    expect(output).toMatch(/› What is the version[\s\S]*Plan\n {2}✓ .*argocd\n {2}✓ .*calculator/);
    expect(output).toContain("used calculator · evaluate 6 * 7");
    expect(output).toMatch(/6 \* 7 = 42[\s\S]*✓ Done/);
  });

  it("takes the original time divided by its speed, and prints the same events (S4.29)", async () => {
    ground().speaker.script = () => new Story(120);
    const { sessionId, events } = await answered("--agent", "speaker", "tell");
    const took = Date.parse(events.at(-1)?.timestamp ?? "") - Date.parse(events[0]?.timestamp ?? "");
    const timed = async (speed: string) => {
      const replay = new Output(["replay", sessionId, "--json", "--speed", speed]);
      const ended = once(replay.child, "close");
      await once(replay.child.stdout ?? replay.child, "data");
      const start = performance.now();
      await ended;
      const lines = replay.text.trimEnd().split("\n");
      expect(lines.map((line) => JSON.parse(line))).toEqual(events);
      return performance.now() - start;
    };
    // No pause is longer than two seconds, and a story has no such pauses: it may last longer, but never less.
    const slow = await timed("0.5");
    expect(slow).toBeGreaterThan(took * 1.8);
    expect(await timed("max")).toBeLessThan(slow);
  });

  it("stops at an event, with the state at that time", async () => {
    ground().speaker.script = () => new Story(10);
    const { sessionId, events } = await answered("--agent", "speaker", "tell");
    const words = events.map((event) => (event.type === "agent_token" ? event.payload.text : ""));
    const until = words.findIndex((text) => text.includes("Line 5 ")) + 1;
    const args = ["replay", sessionId, "--speed", "max", "--until", String(until)];
    const { output } = await ground().run(args);
    expect(linesIn(output)).toEqual(linesIn(words.slice(0, until).join("")));
    expect(output).toMatch(/… Writing\n$/);
  });

  it("looks the same in a terminal, without leftovers of redrawn rows", async () => {
    const { sessionId } = await answered("what is 6 times 7?");
    const replay = ground().terminal(["replay", sessionId, "--speed", "4"]);
    expect(await replay.ended).toBe(0);
    expect(replay.text).toMatch(/^› what is 6 times 7\?\nPlan\n {2}✓ /);
    expect(replay.text).toMatch(/6 \* 7 = 42\n✓ Done[^\n]*$/);
  });
});

describe("parley tail", { timeout: 180_000 }, () => {
  it("prints events of all sessions as they happen, one line each (S4.29)", async () => {
    const tail = new Output(["tail"]);
    // The first printed event may be any: it only shows that tail is connected.
    await expect
      .poll(
        async () => {
          await ground().client.createSession({ title: "a knock" });
          return tail.text;
        },
        { timeout: 60_000 },
      )
      .toContain("session created a knock");
    const { sessionId } = await answered("what is 6 times 7?");
    await tail.see(`${sessionId}`);
    await expect.poll(() => tail.text).toMatch(/calls calculator__evaluate \{"expression":"6 \* 7"\}/);
    await expect.poll(() => tail.text).toMatch(/\d\d:\d\d:\d\d ses_\w+ +\d+ you +says what is 6 times 7\?\n/);
    tail.child.kill("SIGINT");
    expect((await once(tail.child, "close"))[0]).toBe(130);
  });

  it("prints earlier events first, of the given sessions only, as JSON (S4.29)", async () => {
    const { sessionId, events } = await answered("what is 6 times 7?");
    const tail = new Output(["tail", sessionId, "--since", "1h", "--json"]);
    const told = () => tail.text.split("\n").slice(0, -1);
    await expect.poll(() => told().map((line) => JSON.parse(line))).toEqual(events);
  });

  it("continues after the server was killed, without lost or repeated events (S4.29)", async () => {
    const told = new Story();
    onTestFinished(() => told.end());
    ground().speaker.script = () => told;
    const { id: sessionId } = (await ground().client.createSession({ agent: "speaker" })).session;
    const tail = new Output(["tail", sessionId, "--since", "1h", "--json"]);
    await tail.see("session_created");
    await ground().client.postMessage(sessionId, { content: "tell" });
    await tail.see("Line 5 ");
    await ground().killServer();
    await tail.see("Connection lost; reconnecting");
    await ground().startServer();
    await tail.see("Reconnected");
    told.end();
    await tail.see("agent_complete");
    const events = tail.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ index }) => index)).toEqual(events.map((_, at) => at + 1));
    const lines = linesIn(events.find(({ type }) => type === "agent_complete").payload.content);
    expect(lines).toEqual(gapless(lines));
  });
});

it.each([
  [["replay", "ses_none"], 1, "No session ses_none"],
  [["replay", "ses_1", "--speed", "fast"], 2, "It must be a number like 4, or max."],
  [["replay", "ses_1", "--until", "end"], 2, "It must be a whole number of at least 1."],
  [["tail", "ses_none"], 1, "No session ses_none"],
  [["tail", "--since", "yesterday"], 2, "It must be like 90s, 15m"],
])("reports %j in one sentence", async (args, code, words) => {
  const ended = await ground().run(args);
  expect(ended).toMatchObject({ code, output: "" });
  expect(ended.errors).toContain(words);
  expect(ended.errors.replace("(use --help for usage)\n", "").trimEnd().split("\n")).toHaveLength(1);
});
