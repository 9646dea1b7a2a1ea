import { once } from "node:events";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gapless, linesIn, Story } from "@parley/testing/story.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { OPEN, talkGround } from "../testing/talk-ground.ts";

const ground = talkGround();

/** What a command wrote as JSON lines. */
function jsonLines(output: string): Record<string, unknown>[] {
  return output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("parley chat with a question", { timeout: 180_000 }, () => {
  it("prints only the supervisor's answer, and exits with 0 (S0.20)", async () => {
    const { code, output, errors } = await ground().run(["chat", "what is 6 times 7?"]);
    expect({ code, output, errors }).toEqual({ code: 0, output: "6 * 7 = 42\n", errors: "" });
  });

  it("prints plan and calls to stderr on request", async () => {
    const { output, errors } = await ground().run(["chat", "--verbose", "what is 6 times 7?"]);
    expect(output).toBe("6 * 7 = 42\n");
    expect(errors).toMatch(
      /Plan\n {2}✓ .*calculator\n✓ asked calculator[^\n]*\n {2}✓ used calculator · evaluate 6 \* 7/,
    );
  });

  it("reads the message from stdin, or appends stdin to the question, for any agent (S0.20)", async () => {
    ground().speaker.script = (request) => [request];
    const alone = await ground().run(["chat", "--agent", "speaker"], "only this\n");
    expect(alone.output).toBe("only this\n");
    const both = await ground().run(
      ["chat", "--agent", "speaker", "what", "is", "wrong?"],
      "line 1\nline 2\n",
    );
    expect(both.output).toBe("what is wrong?\n\nline 1\nline 2\n");
  });

  it("does not wait forever for missing input, and reports that", async () => {
    const { code, output, errors } = await ground().run(["chat", "what is 6 times 7?"], OPEN);
    expect({ code, output }).toEqual({ code: 0, output: "6 * 7 = 42\n" });
    expect(errors).toContain("Ignored standard input: nothing arrived");
  });

  it("prints the events as JSON lines without a gap, and finally the result (S4.24)", async () => {
    const { code, output } = await ground().run(["chat", "--json", "what is 6 times 7?"]);
    const lines = jsonLines(output);
    const [last, events] = [lines.at(-1), lines.slice(0, -1)];
    expect(code).toBe(0);
    expect(events.map(({ index }) => index)).toEqual(events.map((_, at) => at + 1));
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["user_message", "agent_plan"]));
    expect(last).toMatchObject({ type: "summary", status: "completed", answer: "6 * 7 = 42" });
    expect(last?.url).toBe(`${ground().url}/s/${last?.sessionId}`);
  });

  it("lists the files of an answer, and saves them with --files", async () => {
    const question = "draw a chart of 3, 5, 8";
    const named = await ground().run(["chat", "--yes", question]);
    expect(named.errors).toMatch(/^▤ \S+\.svg · [\d.]+ k?B\n/);
    expect(named.errors).toContain("Save files with --files <folder>, or open http");
    const folder = await mkdtemp(join(tmpdir(), "parley-files-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const _ of ["once", "again"]) {
      const { output } = await ground().run(["chat", "--yes", "--json", "--files", folder, question]);
      const { files } = jsonLines(output).at(-1) as { files: { name: string; path: string; size: number }[] };
      expect(files.map(({ name }) => name)).toContainEqual(expect.stringMatching(/\.svg$/));
      for (const { path, size } of files) expect((await stat(path)).size).toBe(size);
    }
    expect(await readdir(folder)).toContainEqual(expect.stringMatching(/ \(2\)\.svg$/));
  });

  it("continues a session", async () => {
    const first = await ground().run(["chat", "--json", "what is 2+2?"]);
    const sessionId = String(jsonLines(first.output).at(-1)?.sessionId);
    await ground().run(["chat", "--session", sessionId, "what about 3+3?"]);
    const { output } = await ground().run(["chat", "--session", sessionId, "add them together"]);
    expect(output).toContain("10");
  });

  it("prints how to answer when it waits for approval, and continues after the answer (+7)", async () => {
    const { code, errors } = await ground().run(["chat", "Sync checkout"]);
    expect(code).toBe(1);
    expect(errors).toContain('Waiting for your approval of application_service__sync {"name":"checkout"}');
    const [, sessionId = ""] = /--session (ses_\w+) --yes/.exec(errors) ?? [];
    const other = await ground().run(["chat", "--session", sessionId, "what is 6 times 7?"]);
    expect(other).toMatchObject({ code: 1, output: "", errors });
    const answered = await ground().run(["chat", "--session", sessionId, "--no", "not today"]);
    expect(answered).toMatchObject({ code: 0, output: expect.not.stringContaining("was accepted") });
    const { events } = await ground().client.listEvents(sessionId, { type: "approval_answered" });
    expect(events[0]?.payload).toMatchObject({ decision: "denied", text: "not today" });
    const again = await ground().run(["chat", "--session", sessionId, "--yes"]);
    expect(again).toMatchObject({ code: 2, errors: expect.stringContaining("is not waiting for input") });
  });

  it("prints how to answer a question in words, and continues after that answer (+7)", async () => {
    ground().speaker.script = async function* curious(_, ask) {
      yield `You want ${await ask("Which colour?")}.`;
    };
    const { code, errors } = await ground().run(["chat", "--agent", "speaker", "paint it", "--yes"]);
    expect(code).toBe(1);
    expect(errors).toContain('Waiting for your answer to "Which colour?": answer with parley chat --session');
    const [, sessionId = ""] = /--session (ses_\w+)/.exec(errors) ?? [];
    const answered = await ground().run(["chat", "--session", sessionId, "green"]);
    expect(answered).toMatchObject({ code: 0, output: "You want green.\n" });
  });

  it.each([
    ["--yes", "was accepted"],
    ["--no", "not"],
  ])("answers for the user with %s", async (flag, words) => {
    const { code, output } = await ground().run(["chat", "Sync guestbook", flag]);
    expect(code).toBe(0);
    expect(output).toContain(words);
    expect(output.includes("was accepted")).toBe(flag === "--yes");
  });

  it("exits with 1 and the reason when the run fails", async () => {
    ground().speaker.script = async function* failing() {
      yield "I cannot";
      throw new Error("go on");
    };
    const { code, output, errors } = await ground().run(["chat", "--agent", "speaker", "fail"]);
    expect(code).toBe(1);
    expect(output).toBe("I cannot\n");
    expect(errors).toMatch(/^The run failed: .+\n$/);
  });

  it("reports an unreachable agent (S4.27)", async () => {
    const { code, errors } = await ground().run(["chat", "--agent", "absent", "hello"]);
    expect(code).toBe(1);
    expect(errors).toMatch(/^The run failed: .*(reach|absent).*\n$/);
  });

  it("stops waiting after --timeout, without cancelling the run", async () => {
    const told = new Story();
    onTestFinished(() => told.end());
    ground().speaker.script = () => told;
    const ended = await ground().run(["chat", "--json", "--timeout", "0.5", "--agent", "speaker", "tell"]);
    expect(ended.code).toBe(1);
    expect(ended.errors).toContain("No answer within 0.5 s; the run continues");
    const { sessionId, runId, status } = jsonLines(ended.output).at(-1) ?? {};
    expect(status).toBe("timeout");
    const { run } = await ground().client.readRun(String(sessionId), String(runId));
    expect(run.status).toBe("running");
  });

  it("exits on Ctrl-C, without cancelling the run", async () => {
    const told = new Story();
    onTestFinished(() => told.end());
    ground().speaker.script = () => told;
    const child = ground().start(["chat", "--json", "--agent", "speaker", "tell"]);
    let [output, errors] = ["", ""];
    child.stderr?.on("data", (text) => (errors += text));
    const hasBegun = Promise.withResolvers<void>();
    child.stdout?.on("data", (text) => {
      output += text;
      if (output.includes("agent_token")) hasBegun.resolve();
    });
    await hasBegun.promise;
    child.kill("SIGINT");
    expect((await once(child, "close"))[0]).toBe(130);
    expect(errors).toMatch(/^Interrupted; the run continues: parley chat --session ses_/);
    const { sessionId, runId } = jsonLines(output).at(-1) ?? {};
    const { run } = await ground().client.readRun(String(sessionId), String(runId));
    expect(run.status).toBe("running");
  });

  it("loses and repeats nothing when the server is killed in mid-answer (S4.29)", async () => {
    const told = new Story(120);
    ground().speaker.script = () => told;
    const child = ground().start(["chat", "--json", "--agent", "speaker", "tell"]);
    let [output, errors] = ["", ""];
    child.stderr?.on("data", (text) => (errors += text));
    const hasBegun = Promise.withResolvers<void>();
    child.stdout?.on("data", (text) => {
      output += text;
      if (output.includes("Line 5 ")) hasBegun.resolve();
    });
    const closed = once(child, "close");
    await hasBegun.promise;
    await ground().killServer();
    await ground().startServer();
    expect((await closed)[0]).toBe(0);
    const events = jsonLines(output).slice(0, -1);
    expect(events.map(({ index }) => index)).toEqual(events.map((_, at) => at + 1));
    const lines = linesIn(String(jsonLines(output).at(-1)?.answer));
    expect(lines).toEqual(gapless(lines));
    expect(lines).toHaveLength(120);
    expect(errors).toContain("Connection lost; reconnecting");
  });

  it("writes to a pipe line by line while the agent streams", async () => {
    const heard = Promise.withResolvers<void>();
    onTestFinished(() => heard.resolve());
    ground().speaker.script = async function* patient() {
      yield "First this.\nThen";
      await heard.promise;
      yield " that.\n";
    };
    const child = ground().start(["chat", "--agent", "speaker", "tell"]);
    let output = "";
    child.stdout?.on("data", (text) => (output += text));
    const closed = once(child, "close");
    await expect.poll(() => output).toBe("First this.\n");
    heard.resolve();
    expect((await closed)[0]).toBe(0);
    expect(output).toBe("First this.\nThen that.\n");
  });

  it("prints no terminal control sequences, as text or as JSON", async () => {
    ground().speaker.script = () => ["a\u001b[31mb\u001b]0;title\u0007c\u009b2Jd\u202ee"];
    const { output } = await ground().run(["chat", "--agent", "speaker", "be bad"]);
    expect(output).toBe("abcde\n");
    const json = await ground().run(["chat", "--json", "--agent", "speaker", "be bad"]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(json.output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(jsonLines(json.output).at(-1)?.answer).toContain("\u001b[31m");
  });

  it.each([
    [["chat", "--session", "ses_none", "hello"], 1, "No session ses_none"],
    [["chat", "--agent", "nobody", "hello"], 1, "No agent nobody; use one of supervisor, "],
    [["chat", "--timeout", "soon", "hello"], 2, "It must be a number of seconds"],
    [["chat"], 2, "Missing question"],
    [["chat", "--server", "http://localhost:1", "hello"], 3, "Cannot reach Parley at http://localhost:1"],
    [["chat", "--server", "somewhere", "hello"], 2, "--server must be a URL"],
  ])("reports %j in one sentence", async (args, code, words) => {
    const ended = await ground().run(args);
    expect(ended).toMatchObject({ code, output: "" });
    expect(ended.errors).toContain(words);
    expect(ended.errors.replace("(use --help for usage)\n", "").trimEnd().split("\n")).toHaveLength(1);
  });
});
