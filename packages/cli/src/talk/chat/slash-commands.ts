import { type Line, span } from "../../terminal/line.ts";
import type { Chat } from "./chat.ts";

interface SlashCommand {
  readonly name: string;
  readonly argument?: string;
  readonly help: string;
  /** True: the chat is to be left. */
  run(chat: Chat, argument: string): Promise<boolean>;
}

const COMMANDS: readonly SlashCommand[] = [
  { name: "help", help: "this list", run: async (chat) => told(chat, ...helpLines()) },
  {
    name: "new",
    help: "begin another session",
    async run(chat) {
      chat.begin();
      return told(chat, [], [span("A new session begins with what you say next.", "quiet")]);
    },
  },
  { name: "agents", help: "the agents that can be spoken to", run: listAgents },
  { name: "agent", argument: "NAME", help: "speak to this one from now on", run: switchAgent },
  {
    name: "fork",
    help: "go on in a copy of this session",
    async run(chat) {
      if (chat.sessionId === undefined)
        return told(chat, bad("There is nothing to fork yet: say something first"));
      chat.engine.fork(chat.sessionId);
      return false;
    },
  },
  {
    name: "retry",
    help: "have the last answer made again, in a branch",
    async run(chat) {
      const { sessionId, lastRun } = chat;
      if (sessionId === undefined || !lastRun) return told(chat, bad("There is no answer to make again yet"));
      if (chat.run) return told(chat, bad("The answer is still under way: Ctrl-C stops it"));
      chat.engine.retry(sessionId, lastRun.id);
      return false;
    },
  },
  { name: "quit", help: "leave; the session stays", run: async () => true },
];

/** Whether what was written is a command to the chat itself. */
export function isSlashCommand(text: string): boolean {
  return /^\/[a-z]*( |$)/i.test(text);
}

/** Carries a command out; true: the chat is to be left. */
export async function runSlashCommand(chat: Chat, text: string): Promise<boolean> {
  const [, name = "", argument = ""] = /^\/(\S*)(?:\s+(\S.*))?$/s.exec(text.trim()) ?? [];
  const command = COMMANDS.find((each) => each.name === name.toLowerCase());
  if (command) return command.run(chat, argument.trim());
  return told(chat, bad(`There is no /${name}: /help lists what there is`));
}

function helpLines(): readonly Line[] {
  const keys = [
    ["Enter", "sends; a \\ at the end, or Alt-Enter, makes a new line"],
    ["↑ ↓", "what you said before"],
    ["Ctrl-C", "stops the answer; once more, or with nothing written: leaves"],
  ];
  const row = (what: string, help: string): Line => [span(`  ${what.padEnd(14)}`), span(help, "quiet")];
  const commands = COMMANDS.map(({ name, argument = "", help }) => row(`/${name} ${argument}`, help));
  return [[], ...commands, ...keys.map(([key = "", help = ""]) => row(key, help)), []];
}

async function listAgents(chat: Chat): Promise<boolean> {
  const lines = (await agentsOf(chat)).map(({ name, state, enabled, description = "", trouble }): Line => {
    const isUp = state === "up" && enabled;
    const how = isUp ? description : (trouble ?? (enabled ? state : "switched off"));
    return [span(isUp ? "✓ " : "✗ ", isUp ? "good" : "bad"), span(name.padEnd(14)), span(` ${how}`, "quiet")];
  });
  return told(chat, [], ...lines, []);
}

async function agentsOf({ client }: Chat) {
  const { agents } = await client.listAgents({ limit: 100 });
  return agents.toSorted((one, other) => one.name.localeCompare(other.name));
}

async function switchAgent(chat: Chat, name: string): Promise<boolean> {
  if (name === "") return told(chat, bad(`Name one, as in "/agent files": /agents lists them`));
  const names = ["supervisor", ...(await agentsOf(chat)).map((each) => each.name)];
  if (!names.includes(name))
    return told(chat, bad(`There is no agent ${name}; there are ${names.join(", ")}`));
  chat.switchAgent(name);
  return told(chat, [span("You speak to "), span(name, "strong"), span(" from now on.")]);
}

function bad(text: string): Line {
  return [span("✗ ", "bad"), span(text)];
}

async function told(chat: Chat, ...lines: readonly Line[]): Promise<false> {
  chat.note(...lines);
  return false;
}
