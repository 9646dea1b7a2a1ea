import { createHash } from "node:crypto";

/** What of a message identifies the conversation. */
export interface HistoryMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** The start of a block that front ends add to an answer and send back with it. */
const SHOWN_AROUND = /<(?:(details)\b([^<>]*)|(think|thinking|thought|reasoning))>/g;
const TYPE_OF_DETAILS = /\btype="(?:reasoning|tool_calls|code_interpreter)"/;
const CONTEXT = /^<context>\n[\s\S]*?\n<\/context>\n\n/;

/** Puts a client's context for the whole conversation before the user's message. */
export function withContext(context: string, content: string): string {
  // The context must not be able to close the block.
  const inside = context.replaceAll("</context>", "</ context>");
  return context === "" ? content : `<context>\n${inside}\n</context>\n\n${content}`;
}

/** Separates the context from the message again. */
export function contextIn(content: string): { readonly context: string; readonly content: string } {
  const [block = ""] = CONTEXT.exec(content) ?? [];
  return { context: block, content: content.slice(block.length) };
}

/** A message without what front ends trim, wrap or add: for answers, no white space and no added blocks. */
export function essence({ role, content }: HistoryMessage): string {
  const whole = content.toWellFormed().replaceAll("\r\n", "\n");
  if (role === "user") return contextIn(whole).content.trim();
  return withoutShownAround(whole).replaceAll(/\s+/g, "");
}

/** Takes one pass and searches for each end once, because the text is untrusted. */
function withoutShownAround(text: string): string {
  const kept: string[] = [];
  const unended = new Set<string>();
  let at = 0;
  for (const { 0: begin, 1: details, 2: attributes = "", 3: thought = "", index } of text.matchAll(
    SHOWN_AROUND,
  )) {
    const name = details ?? thought;
    const isShown = details === undefined || TYPE_OF_DETAILS.test(attributes);
    if (index < at || !isShown || unended.has(name)) continue;
    const end = text.indexOf(`</${name}>`, index + begin.length);
    if (end < 0) {
      unended.add(name);
      continue;
    }
    kept.push(text.slice(at, index));
    at = end + name.length + 3;
  }
  return kept.join("") + text.slice(at);
}

/** The hash of a conversation that continues with this message. */
export function historyHash(before: string, message: HistoryMessage): string {
  const words = essence(message);
  // Front ends leave out empty answers.
  if (words === "" && message.role === "assistant") return before;
  const told = JSON.stringify([before, message.role, words]);
  return createHash("sha256").update(told).digest("hex");
}

export function historyHashes(messages: readonly HistoryMessage[]): readonly string[] {
  const hashes: string[] = [];
  for (const message of messages) hashes.push(historyHash(hashes.at(-1) ?? "", message));
  return hashes;
}
