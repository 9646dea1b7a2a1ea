import { A2AError } from "@parley/a2a";
import { mayPass } from "./away-agents.ts";

const MAX_SHOWN = 200;

/** What is said of an agent that was at work and went away, for good or without its task; undefined: it did not. */
export function lostAgentMessage(agent: string, error: Error, said: string): string | undefined {
  const isForgotten = error instanceof A2AError && error.kind === "TaskNotFound";
  if (!isForgotten && !mayPass(error)) return undefined;
  const how = isForgotten ? "came back without its task" : `did not come back in time (${error.message})`;
  return `${agent} died in the middle of its work and ${how}, so its result is missing.${wordsText(said)}`;
}

function wordsText(said: string): string {
  const words = said.trim().replaceAll(/\s+/g, " ");
  if (words === "") return " It had said nothing yet.";
  return ` It had only said: "${words.length > MAX_SHOWN ? `${words.slice(0, MAX_SHOWN)}…` : words}"`;
}
