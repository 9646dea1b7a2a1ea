import { setTimeout as sleep } from "node:timers/promises";
import { type Ending, type ExecutionContext, type Executor, type Message, textOf } from "@parley/a2a";

type Script = (context: ExecutionContext, argument: string) => Promise<Ending | undefined>;

/** By the first word of the message, so that it can be driven in every dialect; v0.1 has no message ids. */
const SCRIPTS: Readonly<Record<string, Script>> = {
  async pieces(context, count) {
    const result = context.artifact({ name: "result" });
    for (let n = 0; n < Number(count); n++) await result.text(`${n} `);
    await result.close();
    return undefined;
  },
  /** Pieces with a breath between them, so that watchers come and go meanwhile. */
  async trickle(context, count) {
    const result = context.artifact({ name: "result" });
    for (let n = 0; n < Number(count); n++) {
      await result.text(`${n} `);
      await sleep(1, undefined, { signal: context.signal });
    }
    await result.close();
    return undefined;
  },
  /** Each piece of the text that follows, as it is given: a JSON array. */
  async say(context, pieces) {
    const result = context.artifact({ name: "result" });
    for (const piece of JSON.parse(pieces) as string[]) await result.text(piece);
    await result.close();
    return undefined;
  },
  /** Two artifacts, written by turns. */
  async both(context, count) {
    const [left, right] = [context.artifact({ name: "left" }), context.artifact({ name: "right" })];
    for (let n = 0; n < Number(count); n++) await Promise.all([left.text(`l${n} `), right.text(`r${n} `)]);
    await left.close();
    await right.close();
    return undefined;
  },
  /** Sends the first word, retracts it and sends the second. */
  async retract(context, words) {
    const [wrong = "", right = ""] = words.split(" ");
    const result = context.artifact({ name: "result" });
    await result.text(wrong);
    await result.replace([{ text: right }]);
    await result.close();
    return undefined;
  },
  /** Echoes its messages until it receives "go". */
  async hold(context) {
    const result = context.artifact({ name: "result" });
    await result.text("held ");
    for await (const message of context.messages()) {
      if (textOf(message) === "go") break;
      await result.text(`${textOf(message)} `);
    }
    await result.close();
    return undefined;
  },
  ask: async () => ({ state: "input-required", message: "Which one?" }),
  login: async () => ({ state: "auth-required", message: "Please sign in" }),
  reject: async () => ({ state: "rejected", message: "No" }),
  fail: async () => {
    throw new Error("It broke");
  },
};

/** Follows the message's command; completes with a default word for an unknown one. */
export const proofExecutor: Executor = {
  async reply(message: Message) {
    return textOf(message) === "answer" ? "Without a task" : undefined;
  },
  async execute(context) {
    const text = textOf(context.message);
    const [word = ""] = text.split(" ", 1);
    const script = Object.hasOwn(SCRIPTS, word) ? SCRIPTS[word] : undefined;
    if (script) return script(context, text.slice(word.length + 1));
    return { state: "completed", message: `Done: ${text}` };
  },
};
