import type { ApiClient } from "@parley/client";
import { CommandError, EXIT, type ExitCode } from "../command-error.ts";
import { connect, type ServerOptions, serverUrl } from "../server-address.ts";
import { isLiveScreen } from "../terminal/painter.ts";
import { plainText } from "../terminal/plain-text.ts";
import { standardInput } from "../terminal/standard-input.ts";
import type { TalkOptions } from "./talk-options.ts";
import { existingSession } from "./watch/existing-session.ts";

/** Programs often leave an input open that never ends: with a question, input is awaited only this long. */
const MAX_INPUT_WAIT_MS = 3_000;

export interface ChatCommandOptions extends ServerOptions {
  readonly session?: string;
  readonly agent?: string;
  readonly json?: true;
  readonly verbose?: true;
  readonly yes?: true;
  readonly no?: true;
  readonly timeout?: number;
  readonly files?: string;
}

/** `parley chat`: a conversation on a terminal, otherwise one question and its answer. */
export async function chatCommand(words: readonly string[], options: ChatCommandOptions): Promise<ExitCode> {
  const { session: sessionId, agent, json: isJson = false, verbose: isVerbose = false } = options;
  const timeoutMs = options.timeout && options.timeout * 1_000;
  if (options.yes && options.no) throw new CommandError("Use --yes or --no, not both", EXIT.usage);
  const decision = options.yes ? "approved" : options.no ? "denied" : undefined;
  const isForProgram =
    isJson || isVerbose || decision !== undefined || timeoutMs !== undefined || options.files !== undefined;
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true && !isForProgram;
  const message = await messageOf(words);
  if (!isTerminal && message === undefined && (sessionId === undefined || decision === undefined))
    throw new CommandError('Missing question, as in: parley chat "show argocd version"', EXIT.usage);
  const client = await connect(options);
  await checkTarget(client, { sessionId, agent });
  const talk: TalkOptions = { client, server: serverUrl(options.server), sessionId, agent, message };
  if (isTerminal && isLiveScreen(process.stdout)) {
    const { chatInTerminal } = await import("./chat/chat-in-terminal.ts");
    return chatInTerminal(talk);
  }
  if (isTerminal && message === undefined) {
    const { chatInLines } = await import("./chat/chat-in-lines.ts");
    return chatInLines(talk);
  }
  const { askOnce } = await import("./ask/ask-once.ts");
  return askOnce({ ...talk, isJson, isVerbose, decision, timeoutMs, folder: options.files });
}

/** The question, followed by the text on stdin. */
async function messageOf(words: readonly string[]): Promise<string | undefined> {
  const question = words.join(" ").trim();
  const attached = (await standardInput(question === "" ? undefined : MAX_INPUT_WAIT_MS)).trim();
  const message = [question, attached].filter((each) => each !== "").join("\n\n");
  return message === "" ? undefined : message;
}

/** Rejects an unknown session or agent before anything is sent. */
async function checkTarget(
  client: ApiClient,
  { sessionId, agent }: Pick<TalkOptions, "sessionId" | "agent">,
): Promise<void> {
  if (sessionId !== undefined) await existingSession(client, sessionId);
  if (agent === undefined || agent === "supervisor") return;
  const { agents } = await client.listAgents({ limit: 100 });
  if (agents.some(({ name }) => name === agent)) return;
  const names = ["supervisor", ...agents.map(({ name }) => name)].join(", ");
  throw new CommandError(plainText(`No agent ${agent}; use one of ${names}`));
}
