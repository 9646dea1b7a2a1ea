import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Difference } from "./difference.ts";
import type { WrittenRecording } from "./recording.ts";
import { RecordedScene } from "./testing/recorded-scene.ts";

/** Each command is its own process, which is slow on a busy machine. */
const SLOW = { timeout: 180_000 };

let scene: RecordedScene;
/** Two agents side by side, with a real tool and a tool of another program. */
let parallel: WrittenRecording;

beforeAll(async () => {
  scene = await RecordedScene.start();
  const session = await scene.ask("What is the weather in Lund and what is 2+2?");
  await scene.ask("And what is 3*3?", { sessionId: session });
  const { code, errors } = await scene.parley("record", session, "-o", "parallel.json");
  expect([code, errors]).toEqual([0, expect.stringMatching(/^Recorded 2 messages, 3 calls to 2 agents\./)]);
  parallel = JSON.parse(await readFile(join(scene.folder, "parallel.json"), "utf8"));
}, SLOW.timeout);

afterAll(() => scene?.stop());

/** What differs when a file is run again. */
async function found(file: string, agents?: string): Promise<readonly Difference[]> {
  return (await scene.verify(file, agents)).differences;
}

describe("parley record and verify (+10)", SLOW, () => {
  it("record messages, plans, calls and answers, without ids, times and durations", () => {
    const [first, second] = parallel.turns;
    expect(parallel).toMatchObject({ format: "parley-recording/1", model: "offline:parley" });
    expect(parallel.agents.map(({ name }) => name)).toEqual([
      "calculator",
      "door",
      "painter",
      "printer",
      "sky",
    ]);
    expect(first?.plans?.[0]?.map(({ agent, state }) => [agent, state])).toEqual([
      ["sky", "completed"],
      ["calculator", "completed"],
    ]);
    expect(first?.calls).toMatchObject([
      {
        ...{ agent: "sky", round: 1, state: "completed" },
        does: [
          { calls: "sky__look", arguments: { city: "Lund" }, outcome: "succeeded", result: { degrees: 7 } },
          { says: ["It is 7 degrees in Lund.", "It rains."] },
          {
            brings: "picture",
            parts: [{ filename: "rain.png", mediaType: "image/png", raw: expect.any(String) }],
          },
        ],
      },
      {
        ...{ agent: "calculator", round: 1, state: "completed" },
        does: [{ calls: "calculator__evaluate", arguments: { expression: "2+2" } }, { says: "2+2 = 4" }],
      },
    ]);
    expect(second).toMatchObject({ message: "And what is 3*3?", state: "completed", text: "3*3 = 9" });
    const text = JSON.stringify({ ...parallel, agents: [] });
    expect(text).not.toMatch(/(ses|run|msg)_|[0-9a-f]{8}-[0-9a-f]{4}-|durationMs|localhost|127\.0\.0\.1/);
  });

  it("find no differences in a second run, and leave nothing behind", async () => {
    const { code, output } = await scene.parley("verify", "parallel.json");
    expect(output).toMatch(
      /^✓ parallel\.json: no differences \(2 messages, 3 calls to 2 agents, [\d.]+ s\)\n$/,
    );
    expect(code).toBe(0);
    expect(readdirSync(scene.folder).filter((name) => name.startsWith("parley-verify-"))).toEqual([]);
  });

  it("report the effects of a changed agent answer, and write them to the file with --update", async () => {
    const changed = await scene.altered(parallel, "changed.json", ({ turns }) => {
      turns.splice(1);
      const says = turns[0]?.calls?.[1]?.does[1];
      if (says && "says" in says) says.says = "2+2 = 5";
    });
    const { code, output } = await scene.parley("verify", "--update", changed);
    expect(code).toBe(0);
    expect(output).toMatch(/^✗ changed\.json: 1 difference, file updated/);
    expect(output).toContain("2+2 = [-4-]{+5+}");
    const updated = JSON.parse(await readFile(join(scene.folder, changed), "utf8"));
    expect(updated.turns[0].text.join("\n")).toContain("2+2 = 5");
    expect(await found(changed)).toEqual([]);
  });

  it("report changed plans, calls and rounds", async () => {
    const without = await scene.altered(parallel, "without.json", (recording) => {
      recording.agents = recording.agents.filter(({ name }) => name !== "calculator");
    });
    const another = await scene.altered(parallel, "another.json", ({ turns }) => {
      const [plan, calls] = [turns[0]?.plans?.[0], turns[0]?.calls];
      if (plan?.[1]) plan[1].dependencies = ["step-1"];
      if (calls?.[1]) calls[1].round = 2;
    });
    const whats = [await found(without), await found(another)].map((differences) =>
      differences.map(({ aspect, what }) => `${aspect}: ${what}`),
    );
    expect(whats[0]).toEqual(
      expect.arrayContaining([
        "plan: step step-2",
        "calls: a call to calculator is missing",
        "text: the answer",
      ]),
    );
    expect(whats[1]).toEqual(["plan: step step-2", "calls: the round of calculator (“what is 2+2?”)"]);
  });

  const withOtherRequest = () =>
    scene.altered(parallel, "other.json", ({ turns }) => {
      turns.splice(1);
      if (turns[0]?.calls?.[1]) turns[0].calls[1].request = "what is 2+3?";
    });

  it("fail a request without a recorded answer, also with --json", async () => {
    const other = await withOtherRequest();
    const { code, output, errors } = await scene.parley("verify", "--json", other);
    expect([code, errors]).toEqual([1, ""]);
    const [{ differences }] = JSON.parse(output).files as [{ readonly differences: Difference[] }];
    expect(differences).toContainEqual(
      expect.objectContaining({
        what: "the request to calculator",
        ...{ expected: "what is 2+3?", actual: "what is 2+2?" },
      }),
    );
    const text = differences.find(({ aspect }) => aspect === "text");
    expect(text?.actual).toContain("No answer of calculator was recorded for this request: what is 2+2?");
  });

  it("do not compare what --ignore names", async () => {
    const other = await withOtherRequest();
    const ignored = ["plan", "calls", "text"].flatMap((aspect) => ["--ignore", aspect]);
    expect((await scene.parley("verify", other, ...ignored)).code).toBe(0);
  });
});

describe("a replay (+10)", SLOW, () => {
  it("repeats approvals, failures with their full reasons, and directly asked agents", async () => {
    const [approved, denied, failed, direct, inVain] = [
      await scene.ask("Open the garage door"),
      await scene.ask("Open the garage door and what is 2+2?", { decision: "denied" }),
      await scene.ask("Print a poster and what is 2+2?"),
      await scene.ask("What is 6*7?", { agent: "calculator" }),
      await scene.ask("Print a poster", { agent: "printer" }),
    ];
    const written = [
      await scene.record(approved, "approved.json"),
      await scene.record(denied, "denied.json"),
      await scene.record(failed, "failed.json"),
      await scene.record(direct, "direct.json"),
      await scene.record(inVain, "in-vain.json"),
    ];
    expect(written.map(({ turns }) => turns[0]?.answers?.[0])).toEqual([
      { question: "May I open the door?", agent: "door", tool: "door__open", decision: "approved" },
      { question: "May I open the door?", agent: "door", tool: "door__open", decision: "denied" },
      ...[undefined, undefined, undefined],
    ]);
    expect(written[0]?.turns[0]?.text).toBe("The door is open.");
    expect(JSON.stringify(written[1]?.turns[0]?.text)).toContain("The door stays shut.");
    const printer = written[2]?.turns[0]?.calls?.find(({ agent }) => agent === "printer");
    expect(printer).toMatchObject({
      state: "failed",
      reason: ["The printer is out of paper.", "Ask Ann for some."],
    });
    expect(written[3]?.turns[0]).toMatchObject({
      ...{ agent: "calculator", text: "6*7 = 42" },
      does: [{ calls: "calculator__evaluate", arguments: { expression: "6*7" } }, { says: "6*7 = 42" }],
    });
    expect(written[4]?.turns[0]).toMatchObject({
      state: "failed",
      reason: ["The printer is out of paper.", "Ask Ann for some."],
    });
    for (const file of ["approved.json", "denied.json", "failed.json", "direct.json", "in-vain.json"])
      expect(await found(file), file).toEqual([]);
  });

  it("distinguishes two parallel calls to one agent", async () => {
    const session = await scene.ask("What is 2+2 and what is 3*3, then add them together");
    const { turns } = await scene.record(session, "twice.json");
    const calls = turns[0]?.calls?.map(({ round, does }) => [round, does.at(-1)]);
    expect(calls).toEqual([
      [1, { says: "2+2 = 4" }],
      [1, { says: "3*3 = 9" }],
      [2, { says: "4 + 9 = 13" }],
    ]);
    expect(await found("twice.json")).toEqual([]);
  });

  it("repeats answers to questions, and files of the user", async () => {
    const content = new Uint8Array(Buffer.from("a fence"));
    const { file } = await scene.client.uploadFile({ name: "fence.txt", mediaType: "text/plain", content });
    const asked = { agent: "painter", decision: "answered", text: "blue", files: [file.id] } as const;
    const recording = await scene.record(await scene.ask("Paint the fence", asked), "painted.json");
    expect(recording.turns).toMatchObject([
      {
        files: [{ name: "fence.txt", mediaType: "text/plain", base64: "YSBmZW5jZQ==" }],
        answers: [{ question: "Which colour?", decision: "answered", text: "blue" }],
        text: "The fence is blue now.",
      },
    ]);
    expect(await found("painted.json")).toEqual([]);
    const gone = await scene.altered(recording, "gone.json", (altered) => {
      altered.agents = altered.agents.filter(({ name }) => name !== "painter");
    });
    expect(await found(gone)).toContainEqual(
      expect.objectContaining({ what: "how it ended", actual: expect.stringContaining("no agent painter") }),
    );
  });

  it("is cancelled at a question that was not recorded", async () => {
    const recording = await scene.record(await scene.ask("Open the garage door"), "asks.json");
    const silent = await scene.altered(recording, "silent.json", ({ turns: [turn] }) => {
      delete turn?.answers;
    });
    expect(await found(silent)).toContainEqual(
      expect.objectContaining({
        ...{ aspect: "end", expected: "completed" },
        actual: expect.stringMatching(
          /^cancelled: It asks a question that was not recorded: .*May I open the door\?/s,
        ),
      }),
    );
  });

  it("runs agents from --agents for real, and compares their text", async () => {
    const recording = await scene.record(
      await scene.ask("What is 6*7?", { agent: "calculator" }),
      "real.json",
    );
    const wrong = await scene.altered(recording, "wrong.json", ({ turns: [turn] }) => {
      if (turn) turn.text = "6*7 = 41";
      const [, says] = turn?.does ?? [];
      if (says && "says" in says) says.says = "6*7 = 41";
    });
    expect(await found("real.json", scene.agentsFolder)).toEqual([]);
    expect(await found(wrong)).toEqual([]);
    expect(await found(wrong, scene.agentsFolder)).toMatchObject([
      { aspect: "text", expected: "6*7 = 41", actual: "6*7 = 42" },
    ]);
    const nowhere = await scene.parley("verify", "real.json", "--agents", scene.folder);
    expect([nowhere.code, nowhere.errors]).toEqual([2, expect.stringMatching(/ has none of calculator\.md/)]);
  });

  it("continues a fork where its parent ended", async () => {
    const session = await scene.ask("What is 2+2?");
    const { session: fork } = await scene.client.forkSession(session);
    await scene.ask("Add 3 to it", { sessionId: fork.id });
    const recording = await scene.record(fork.id, "fork.json");
    expect(recording.history).toEqual([
      { role: "user", text: "What is 2+2?" },
      { role: "agent", text: "2+2 = 4" },
    ]);
    expect(recording.turns.map(({ message }) => message)).toEqual(["Add 3 to it"]);
    expect(await found("fork.json")).toEqual([]);
  });
});

describe("parley record and verify with wrong input (+10)", SLOW, () => {
  it("report each damaged file in a sentence, with exit code 2", async () => {
    await writeFile(join(scene.folder, "cut.json"), JSON.stringify(parallel).slice(0, 500));
    await writeFile(join(scene.folder, "foreign.json"), JSON.stringify({ name: "x" }));
    await scene.altered(parallel, "damaged.json", ({ turns }) => {
      Object.assign(turns[0]?.calls?.[0] ?? {}, { round: "first" });
    });
    const files = ["cut.json", "foreign.json", "damaged.json", "nowhere.json"];
    const { code, output, errors } = await scene.parley("verify", ...files);
    expect([code, output]).toEqual([2, ""]);
    expect(errors.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^Cannot read cut\.json: not JSON/),
      "Cannot read foreign.json: not a recording in the format parley-recording/1",
      expect.stringMatching(/^Cannot read damaged\.json: turns\[0\]\.calls\[0\]\.round: /),
      "Cannot read nowhere.json: no such file or folder",
    ]);
  });

  it.each([
    [["record", "ses_none"], 1, /^There is no session ses_none$/],
    [["record", "x", "--redact", "("], 2, /^--redact \( is invalid/],
    [["record", "x", "--server", "http://127.0.0.1:1"], 3, /^Cannot reach Parley at/],
    [["verify", "parallel.json", "--model", "none"], 2, /^--model: "none" names no model/],
    [["verify", "parallel.json", "--ignore", "words"], 2, /must be one of plan, calls, approvals, text/],
    [["verify"], 2, /missing required argument 'files'/],
  ])("report %j in a sentence", async (args, exitCode, sentence) => {
    const { code, output, errors } = await scene.parley(...args);
    expect([code, output]).toEqual([exitCode, ""]);
    expect(errors.trimEnd()).toMatch(sentence);
    expect(errors).not.toMatch(/\n[ \t]+at /);
  });

  it("report a timeout as a difference, and do not update the file (+10)", async () => {
    const before = await readFile(join(scene.folder, "parallel.json"), "utf8");
    const { code, output, errors } = await scene.parley(
      "verify",
      "parallel.json",
      "--timeout",
      "0.001",
      "--update",
    );
    expect(code).toBe(1);
    expect(output).toContain("cancelled: No answer within 0.001 s");
    expect(errors).toBe("parallel.json is unchanged: a message was not answered this time\n");
    expect(await readFile(join(scene.folder, "parallel.json"), "utf8")).toBe(before);
  });

  it("mask --redact matches everywhere, and still verify", async () => {
    const session = await scene.ask("What is the weather in Lund and what is 2+2?");
    const hidden = ["--redact", "Lund", "--redact", "rai\\w+"];
    const { code, output } = await scene.parley("record", session, ...hidden);
    expect(code).toBe(0);
    await writeFile(join(scene.folder, "redacted.json"), output);
    const { agents: _, ...rest } = JSON.parse(output);
    expect(JSON.stringify(rest)).not.toMatch(/Lund|rains/);
    expect(JSON.stringify(rest)).toContain("weather in [redacted]");
    expect(await found("redacted.json")).toEqual([]);
  });
});
