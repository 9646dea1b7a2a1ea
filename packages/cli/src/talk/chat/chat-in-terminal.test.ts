import { gapless, linesIn, Story } from "@parley/testing/story.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { talkGround } from "../testing/talk-ground.ts";
import type { TerminalProcess } from "../testing/terminal-process.ts";

const ground = talkGround();
const CTRL_C = "\u0003";

/** A story that `speaker` tells until the test ends it. */
function story(): Story {
  const told = new Story();
  ground().speaker.script = () => told;
  onTestFinished(() => told.end());
  return told;
}

/** A chat that waits for its user. */
async function begun(...args: readonly string[]): Promise<TerminalProcess> {
  const chat = ground().terminal(["chat", ...args]);
  await chat.see("›");
  return chat;
}

const count = (text: string, part: string) => text.split(part).length - 1;

describe("parley chat in a terminal", { timeout: 180_000 }, () => {
  it("sends a message, streams the answer, and prints the session's URL on exit (S0.20)", async () => {
    const chat = await begun();
    chat.write("what is 6 times 7?\r");
    await chat.see("✓ Done");
    expect(chat.text).toContain("6 * 7 = 42");
    chat.write("/quit\r");
    expect(await chat.ended).toBe(0);
    expect(chat.text).toMatch(/Session (ses_\w+) {2}http:\/\/localhost:\d+\/s\/\1/);
  });

  it("shows a plan with two agents as one list that changes in place, and each call once", async () => {
    const chat = await begun();
    chat.write("What is the version of Argo CD, and what is 6 times 7?\r");
    const text = await chat.see("✓ Done");
    expect(text).toMatch(/Plan\n {2}✓ .*argocd\n {2}✓ .*calculator\n/);
    expect(count(text, "Plan\n")).toBe(1);
    expect(count(text, "asked argocd")).toBe(1);
    expect(text).toContain("used calculator · evaluate 6 * 7");
    expect(text).toContain("2 agents · 2 tool calls");
    expect(text).not.toMatch(/[☐▸]/);
  });

  it("asks for approval with the exact arguments, and continues after y and n (+7)", async () => {
    const chat = await begun();
    chat.write("Sync checkout\r");
    await chat.see('"name": "checkout"');
    await chat.see("Waiting for you");
    chat.write("y");
    await chat.see("✓ Done");
    expect(chat.text).toContain("approved application_service · sync");
    expect(chat.text).toContain("The sync of checkout was accepted");
    chat.write("/new\r");
    await chat.see("New conversation.");
    chat.write("Sync guestbook\r");
    await chat.see('"name": "guestbook"');
    chat.write("n");
    await chat.see("denied application_service · sync");
    await chat.until(() => count(chat.text, "Done") === 2);
    expect(chat.text).not.toContain("The sync of guestbook was accepted");
  });

  it("lets the user change arguments before approval, and allow a tool for the session (+7)", async () => {
    const chat = await begun();
    chat.write("Sync checkout\r");
    await chat.see('"name": "checkout"');
    chat.write("e");
    await chat.see("arguments ›");
    chat.write("\u007f");
    chat.write("\r");
    await chat.see("Not JSON");
    chat.write(`${"\u007f".repeat(60)}{"name":"guestbook"}\r`);
    await chat.see('with {"name":"guestbook"}');
    await chat.see("✓ Done");
    expect(chat.text).toContain("The sync of guestbook was accepted");
    chat.write("Sync checkout\r");
    await chat.see("y approve · n deny");
    chat.write("a");
    await chat.until(() => count(chat.text, "✓ Done") === 2);
    chat.write("Sync guestbook\r");
    await chat.until(() => count(chat.text, "✓ Done") === 3);
    expect(chat.text).toContain('always allowed application_service · sync {"name":"guestbook"}');
  });

  it("accepts an answer in words", async () => {
    ground().speaker.script = async function* curious(_, ask) {
      yield `You want ${await ask("Which colour?")}.`;
    };
    const chat = await begun("--agent", "speaker");
    chat.write("paint it\r");
    await chat.see("Which colour?");
    await chat.see("Type your answer");
    chat.write("yes, green\r");
    await chat.see("You want yes, green.");
    await chat.see("✓ Done");
    expect(chat.text).toMatch(/answered Which colour\?: yes, green/);
  });

  it("cancels the run on Ctrl-C, and exits on another at the empty prompt", async () => {
    story();
    const chat = await begun("--agent", "speaker");
    chat.write("say a story\r");
    await chat.see("Line 3 of");
    chat.write(CTRL_C);
    const text = await chat.see("■ Stopped");
    expect(linesIn(text)).toEqual(gapless(linesIn(text)));
    chat.write(CTRL_C);
    expect(await chat.ended).toBe(0);
  });

  it("exits on the second Ctrl-C, even if the run has not ended", async () => {
    // It does not hear that it is to stop before it has said its first word, and it never says one.
    ground().speaker.script = async function* silent() {
      yield "I think";
      await new Promise(() => {});
    };
    const chat = await begun("--agent", "speaker");
    chat.write("say nothing\r");
    await chat.see("I think");
    chat.write(`${CTRL_C}${CTRL_C}`);
    expect(await chat.ended).toBe(130);
    expect(chat.text).toContain("Session ses_");
  });

  it("lists agents, switches to one, and reports an unknown one (S4.25, S4.26)", async () => {
    ground().speaker.script = (request) => [`You said: ${request}`];
    const chat = await begun();
    chat.write("/agents\r");
    await chat.see(/✓ calculator {5}.*Calculates/);
    expect(chat.text).toMatch(/✗ absent {9}\S/);
    chat.write("/agent nobody\r");
    await chat.see("No agent nobody; use one of supervisor, absent, argocd, calculator, charts, speaker");
    chat.write("/agent speaker\r");
    await chat.see("Now talking to speaker");
    chat.write("good morning\r");
    await chat.see("You said: good morning");
    await chat.see("✓ Done");
    chat.write("/agent supervisor\r");
    await chat.see("Now talking to supervisor");
    chat.write("what is 6 times 7?\r");
    await chat.see("asked calculator");
    chat.write("/nothing\r");
    await chat.see("Unknown command /nothing");
  });

  it("regenerates the last answer in a branch, and forks (S4.28)", async () => {
    let answers = 0;
    ground().speaker.script = () => [`Answer number ${++answers}.`];
    const chat = await begun("--agent", "speaker");
    chat.write("/retry\r");
    await chat.see("No answer to regenerate yet");
    chat.write("say something\r");
    await chat.see("✓ Done");
    chat.write("/retry\r");
    await chat.see("Answer number 2.");
    await chat.until(() => count(chat.text, "✓ Done") === 2);
    chat.write("/fork\r");
    await chat.until(() => count(chat.text, "⑂ Branch ses_") === 2);
    chat.write("once more\r");
    await chat.until(() => count(chat.text, "✓ Done") === 3);
    expect(count(chat.text, "Answer number 2.")).toBe(1);
    expect(chat.text).toContain("Answer number 3.");
  });

  it("recalls earlier input, and accepts several lines", async () => {
    ground().speaker.script = (request) => [`Heard ${JSON.stringify(request.split("says now:\n\n").at(-1))}`];
    const chat = await begun("--agent", "speaker");
    chat.write("first\\\rsecond\r");
    await chat.see('Heard "first\\nsecond"');
    chat.write("\u001b[200~pasted\rlines\u001b[201~");
    await chat.see(/› pasted\n {2}lines/);
    chat.write("\r");
    await chat.see('Heard "pasted\\nlines"');
    await chat.until(() => count(chat.text, "✓ Done") === 2);
    // Up, from the second line of what was said last to its first, and on to what was said before.
    chat.write("\u001b[A\u001b[A\u001b[A");
    await chat.until(() => /› first\n {2}second$/.test(chat.text));
    chat.write("\r");
    await chat.until(() => count(chat.text, 'Heard "first\\nsecond"') === 2, "heard again");
  });

  it("queues input until the current answer is done", async () => {
    const told = story();
    const chat = await begun("--agent", "speaker");
    chat.write("say a story\r");
    await chat.see("Line 2 of");
    ground().speaker.script = () => ["That was the story."];
    chat.write("and then?\r");
    await chat.see("queued");
    told.end();
    const text = await chat.see("That was the story.");
    expect(linesIn(text)).toEqual(gapless(linesIn(text)));
    await chat.until(() => count(chat.text, "✓ Done") === 2, "both are done");
    expect(count(chat.text, "› and then?")).toBe(1);
  });

  it("resumes a session, and shows its last messages", async () => {
    const { output } = await ground().run(["chat", "--json", "what is 6 times 7?"]);
    const { sessionId } = JSON.parse(output.trimEnd().split("\n").at(-1) ?? "");
    const chat = await begun("--session", sessionId);
    await chat.see("6 * 7 = 42");
    chat.write("what is 6 times 8?\r");
    await chat.see("6 * 8 = 48");
    expect(count(chat.text, "6 * 7 = 42")).toBe(1);
  });

  it("adapts to a resized terminal while text streams, and repeats nothing", async () => {
    const told = story();
    const chat = await begun("--agent", "speaker");
    chat.write("say a story\r");
    for (const [cols, rows, line] of [
      [30, 10, 5],
      [140, 50, 10],
      [24, 8, 15],
      [100, 40, 20],
    ] as const) {
      await chat.see(`Line ${line} of`);
      chat.resize(cols, rows);
    }
    await chat.see("Line 30 of");
    told.end();
    const text = await chat.see("✓ Done");
    expect(linesIn(text)).toEqual(gapless(linesIn(text)));
    expect(count(text, "say a story")).toBe(1);
    expect(count(text, "Writing")).toBe(0);
  });

  it("loses and repeats nothing when the server is killed in mid-answer, and shows that it reconnects (S4.29)", async () => {
    const told = story();
    const chat = await begun("--agent", "speaker");
    chat.write("say a story\r");
    await chat.see("Line 5 of");
    await ground().killServer();
    await chat.see("reconnecting");
    await ground().startServer();
    await chat.until(() => !chat.text.includes("reconnecting"), "connected again");
    const before = linesIn(chat.text).at(-1) ?? 0;
    await chat.see(`Line ${before + 20} of`);
    told.end();
    const text = await chat.see("✓ Done");
    expect(linesIn(text)).toEqual(gapless(linesIn(text)));
    expect(count(text, "say a story")).toBe(1);
  });

  it("does not let an agent's text control the screen", async () => {
    const hostile = [
      "before \u001b[2J\u001b[H\u001b[31m red\u001b[0m ",
      "\u001b]0;stolen title\u0007\u001b]52;c;c3RvbGVu\u0007",
      "\u001b[?1049h\u001b[6n\u009b5A\u001bc\r over",
      "written\b\b\b\u202e after\n",
    ];
    ground().speaker.script = () => hostile;
    const chat = await begun("--agent", "speaker");
    chat.write("be bad\r");
    await chat.see("✓ Done");
    expect(chat.text).toContain("before  red  overwritten after");
    expect(chat.text).toContain("› be bad");
    expect(chat.title).toBe("");
    for (const part of ["\u001b[2J", "\u001b]", "\u001b[?1049h", "\u001b[6n", "\u009b", "\u001bc", "\b"])
      expect(chat.raw).not.toContain(part);
  });

  it("answers one question and exits, asking for approval on the way (+7)", async () => {
    const chat = ground().terminal(["chat", "Sync checkout"]);
    await chat.see("y approve · n deny");
    chat.write("y");
    expect(await chat.ended).toBe(0);
    expect(chat.text).toMatch(/› Sync checkout\n✓ approved .*\nPlan\n[\s\S]*was accepted[\s\S]*✓ Done/);
  });

  it("only appends lines on a terminal without cursor control (TERM=dumb)", async () => {
    const chat = ground().terminal(["chat"], { TERM: "dumb" });
    await chat.see("Connected to supervisor");
    chat.write("Sync checkout\r");
    await chat.see('"name": "checkout"');
    chat.write("n\r");
    await chat.see("✓ Done");
    expect(chat.text).toContain("denied application_service · sync");
    chat.write("/quit\r");
    expect(await chat.ended).toBe(0);
    expect(chat.raw).not.toContain("\u001b[");
  });

  it("prints the answer to a pipe and progress to the terminal, or reads from a pipe and prints to the terminal", async () => {
    const out = ground().shell('$PARLEY chat "what is 6 times 7?" | tr 0-9 a-j');
    expect(await out.ended).toBe(0);
    expect(out.text).toMatch(/asked calculator[\s\S]*✓ Done/);
    expect(out.text).toMatch(/^g \* h = ec$/m);
    const into = ground().shell('echo "6 times 7" | $PARLEY chat "what is"');
    expect(await into.ended).toBe(0);
    expect(into.text).toMatch(/asked calculator[\s\S]*6 \* 7 = 42\n✓ Done/);
  });
});
