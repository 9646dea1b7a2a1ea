import { titleOf } from "@parley/sessions";

/** A task that chat front ends give to a model on their own, such as finding a title. */
interface Task {
  readonly isAsked: (prompt: string) => boolean;
  readonly answer: (conversation: Conversation) => string;
}

interface Conversation {
  readonly user: readonly string[];
  readonly all: string;
}

const WORDS_OF_A_TITLE = 6;
const MAX_QUERY = 200;
const MAX_CONVERSATION = 100_000;
const FEW = 3;
const HISTORY = "<chat_history>";
const SPEAKER = /^\s*(user|human|assistant|ai|system|model)\s*:[ \t]*/i;
const SPEAKER_LINE = /^[ \t]*(user|human|assistant|ai)[ \t]*:/im;
/** Words that are too common for a topic. */
const COMMON = new Set(
  (
    "about after again all also and any are because been but can could did does for from had has have here how into its just " +
    "know like make more most much not now only other our out please said should some such tell than that the their them then " +
    "there these they this those very want was were what when where which while who why will with would you your"
  ).split(" "),
);

/** A prompt template such as Open WebUI's, which asks for JSON and contains the conversation. */
function template(member: string, answer: (conversation: Conversation) => unknown): Task {
  const asked = new RegExp(`"${member}"\\s*:`);
  return {
    isAsked: (prompt) =>
      /^\s*### Task:/.test(prompt) && prompt.includes(HISTORY) && asked.test(before(prompt)),
    answer: (conversation) => JSON.stringify({ [member]: answer(conversation) }),
  };
}

const TASKS: readonly Task[] = [
  template("title", titleIn),
  template("tags", (conversation) => {
    const topics = topicsIn(conversation);
    return topics.length > 0 ? topics : ["General"];
  }),
  template("follow_ups", (conversation) =>
    topicsIn(conversation).map((topic) => `Tell me more about ${topic}.`),
  ),
  template("queries", ({ user }) => {
    const last = oneLine(user.at(-1) ?? "").slice(0, MAX_QUERY);
    return last === "" ? [] : [last];
  }),
  template("prompt", ({ user }) => oneLine(user.at(-1) ?? "")),
  // No completion is offered for what a user is typing.
  template("text", () => ""),
  {
    isAsked: (prompt) => /^\s*Your task is to reflect the speaker's likely facial expression/.test(prompt),
    answer: () => "💬",
  },
  // LibreChat, by completion; then as structured output; then its assistants.
  {
    isAsked: (prompt) =>
      /^\s*(provide|write|please generate) a concise,? (5-word-or-less )?title\b/i.test(prompt) &&
      /\b(conversation|title case)\b/i.test(prompt) &&
      // A user who asks for a title does not quote a whole conversation.
      SPEAKER_LINE.test(prompt),
    answer: titleIn,
  },
  {
    isAsked: (prompt) =>
      /^\s*Analyze this conversation and provide:\s*1\. The detected language/i.test(prompt),
    answer: (conversation) => JSON.stringify({ language: "und", title: titleIn(conversation) }),
  },
];

/**
 * The answer to a request that a front end makes on its own (a title, tags, follow-ups, a search, a completion), made
 * of the conversation's words in the requested format; undefined: a user asks.
 */
export function frontEndTask(prompt: string): string | undefined {
  const task = TASKS.find(({ isAsked }) => isAsked(prompt));
  return task?.answer(conversationIn(prompt));
}

/** The template alone: the conversation may contain anything. */
function before(prompt: string): string {
  return prompt.slice(0, prompt.indexOf(HISTORY));
}

function conversationIn(prompt: string): Conversation {
  const begin = prompt.indexOf(HISTORY);
  const end = prompt.lastIndexOf("</chat_history>");
  const conversation =
    begin >= 0 && end > begin
      ? prompt.slice(begin + HISTORY.length, end)
      : prompt.slice(Math.max(0, prompt.search(SPEAKER_LINE)));
  const turns: { speaker: string; text: string }[] = [];
  for (const line of conversation.slice(0, MAX_CONVERSATION).split("\n")) {
    const [mark, speaker] = SPEAKER.exec(line) ?? [];
    if (mark !== undefined && speaker !== undefined)
      turns.push({ speaker: speaker.toLowerCase(), text: line.slice(mark.length) });
    else if (turns.length > 0) turns[turns.length - 1] = joined(turns.at(-1), line);
    else if (line.trim() !== "") turns.push({ speaker: "user", text: line });
  }
  const parsed = turns.map(({ text, speaker }) => ({ speaker, text: unquoted(text.trim()) }));
  const user = parsed.filter(({ speaker }) => speaker === "user" || speaker === "human");
  return { user: user.map(({ text }) => text), all: parsed.map(({ text }) => text).join("\n") };
}

function unquoted(text: string): string {
  return text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function joined(turn: { speaker: string; text: string } | undefined, line: string) {
  return { speaker: turn?.speaker ?? "user", text: `${turn?.text ?? ""}\n${line}` };
}

function titleIn({ user, all }: Conversation): string {
  const words = oneLine(user[0] ?? all).split(" ");
  const content = words.slice(0, WORDS_OF_A_TITLE).join(" ");
  const title = titleOf({ messages: [{ id: "", index: 0, role: "user", content }] });
  return title.replace(/^["'`#*\s]+/, "").replace(/(?<!["'`*\s.?!,;:])["'`*\s.?!,;:]+$/, "") || "New chat";
}

/** The most frequent words. */
function topicsIn({ user, all }: Conversation): string[] {
  const counts = new Map<string, number>();
  for (const word of `${user.join(" ")} ${all}`.toLowerCase().match(/\p{L}[\p{L}\p{N}-]{3,}/gu) ?? [])
    if (!COMMON.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts].sort(([, left], [, right]) => right - left);
  return sorted.slice(0, FEW).map(([word]) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
