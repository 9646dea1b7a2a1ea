import { CommandError, EXIT } from "../../command-error.ts";

/** An agent's address; a `CommandError` where it is none. */
export function agentUrl(text: string): string {
  if (isUrl(text)) return text;
  throw new CommandError(`An agent's address is like https://agent.example.com, not ${text}`, EXIT.usage);
}

/** Whether a text is the address of something on the web. */
export function isUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}
