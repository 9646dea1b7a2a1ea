import { createHash } from "node:crypto";

/** A message as far as it counts for which conversation it is of. */
export interface HistoryMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** What begins a block that front ends put around an answer when they show it, and send back with it. */
const SHOWN_AROUND = /<(?:(details)\b([^<>]*)|(think|thinking|thought|reasoning))>/g;
const TYPE_OF_DETAILS = /\btype="(?:reasoning|tool_calls|code_interpreter)"/;
const CONTEXT = /^<context>\n[\s\S]*?\n<\/context>\n\n/;

/** What a client says about all of a conversation, before what its user says. */
export function withContext(context: string, content: string): string {
  // What would end the block early is not part of what a model makes of it.
  const inside = context.replaceAll("</context>", "</ context>");
  return context === "" ? content : `<context>\n${inside}\n</context>\n\n${content}`;
}

/** The two again. */
export function contextIn(content: string): { readonly context: string; readonly content: string } {
  const [block = ""] = CONTEXT.exec(content) ?? [];
  return { context: block, content: content.slice(block.length) };
}

/**
 * What is the same of a message however a front end trims, wraps or decorates it: of a user's, the words as they stand;
 * of an answer's, what is not white, without what the front end shows around it.
 */
export function essence({ role, content }: HistoryMessage): string {
  const whole = content.toWellFormed().replaceAll("\r\n", "\n");
  if (role === "user") return contextIn(whole).content.trim();
  return withoutShownAround(whole).replaceAll(/\s+/g, "");
}

/** In one pass, and each end is looked for once: a client may send whatever it likes. */
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

/** The hash of a conversation that has one message more; two conversations with the same hash say the same. */
export function historyHash(before: string, message: HistoryMessage): string {
  const words = essence(message);
  // Front ends leave out an answer that says nothing.
  if (words === "" && message.role === "assistant") return before;
  const told = JSON.stringify([before, message.role, words]);
  return createHash("sha256").update(told).digest("hex");
}

/** The hashes of a conversation after each of its messages. */
export function historyHashes(messages: readonly HistoryMessage[]): readonly string[] {
  const hashes: string[] = [];
  for (const message of messages) hashes.push(historyHash(hashes.at(-1) ?? "", message));
  return hashes;
}
