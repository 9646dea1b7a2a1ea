import { type Line, span } from "../../terminal/line.ts";
import type { Chat } from "./chat.ts";

interface SlashCommand {
  readonly name: string;
  readonly argument?: string;
  readonly help: string;
  /** Returns true to leave the chat. */
  run(chat: Chat, argument: string): Promise<boolean>;
}

const COMMANDS: readonly SlashCommand[] = [
  { name: "help", help: "show this list", run: async (chat) => note(chat, ...helpLines()) },
  {
    name: "new",
    help: "start a new conversation",
    async run(chat) {
      chat.startNew();
      return note(chat, [], [span("New conversation.", "quiet")]);
    },
  },
  { name: "agents", help: "list the agents", run: listAgents },
  { name: "agent", argument: "NAME", help: "talk to this agent from now on", run: switchAgent },
  {
    name: "fork",
    help: "continue in a copy of this conversation",
    async run(chat) {
      if (chat.sessionId === undefined) return note(chat, bad("Nothing to fork yet; send a message first"));
      chat.engine.fork(chat.sessionId);
      return false;
    },
  },
  {
    name: "retry",
    help: "regenerate the last answer in a branch",
    async run(chat) {
      const { sessionId, lastRun } = chat;
      if (sessionId === undefined || !lastRun) return note(chat, bad("No answer to regenerate yet"));
      if (chat.run) return note(chat, bad("The answer is still in progress; stop it with Ctrl-C"));
      chat.engine.retry(sessionId, lastRun.id);
      return false;
    },
  },
  { name: "quit", help: "leave; the conversation is kept", run: async () => true },
];

/** Whether a text is a command to the chat itself. */
export function isSlashCommand(text: string): boolean {
  return /^\/[a-z]*( |$)/i.test(text);
}

/** Runs a command; returns true to leave the chat. */
export async function runSlashCommand(chat: Chat, text: string): Promise<boolean> {
  const [, name = "", argument = ""] = /^\/(\S*)(?:\s+(\S.*))?$/s.exec(text.trim()) ?? [];
  const command = COMMANDS.find((each) => each.name === name.toLowerCase());
  if (command) return command.run(chat, argument.trim());
  return note(chat, bad(`Unknown command /${name}; type /help for commands`));
}

function helpLines(): readonly Line[] {
  const keys = [
    ["Enter", "send; \\ at the end of a line, or Alt-Enter, starts a new line"],
    ["↑ ↓", "previous messages"],
    ["Ctrl-C", "stop the answer; again, or with an empty prompt, leave"],
  ];
  const row = (what: string, help: string): Line => [span(`  ${what.padEnd(14)}`), span(help, "quiet")];
  const commands = COMMANDS.map(({ name, argument = "", help }) => row(`/${name} ${argument}`, help));
  return [[], ...commands, ...keys.map(([key = "", help = ""]) => row(key, help)), []];
}

async function listAgents(chat: Chat): Promise<boolean> {
  const lines = (await agentsOf(chat)).map(({ name, state, enabled, description = "", trouble }): Line => {
    const isUp = state === "up" && enabled;
    const how = isUp ? description : (trouble ?? (enabled ? state : "disabled"));
    return [span(isUp ? "✓ " : "✗ ", isUp ? "good" : "bad"), span(name.padEnd(14)), span(` ${how}`, "quiet")];
  });
  return note(chat, [], ...lines, []);
}

async function agentsOf({ client }: Chat) {
  const { agents } = await client.listAgents({ limit: 100 });
  return agents.toSorted((one, other) => one.name.localeCompare(other.name));
}

async function switchAgent(chat: Chat, name: string): Promise<boolean> {
  if (name === "") return note(chat, bad(`Missing name, as in "/agent files"; /agents lists them`));
  const names = ["supervisor", ...(await agentsOf(chat)).map((each) => each.name)];
  if (!names.includes(name)) return note(chat, bad(`No agent ${name}; use one of ${names.join(", ")}`));
  chat.switchAgent(name);
  return note(chat, [span("Now talking to "), span(name, "strong")]);
}

function bad(text: string): Line {
  return [span("✗ ", "bad"), span(text)];
}

async function note(chat: Chat, ...lines: readonly Line[]): Promise<false> {
  chat.note(...lines);
  return false;
}
