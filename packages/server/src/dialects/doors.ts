import { Problem, problemAnswer } from "../api/problem.ts";
import type { ErrorAnswer } from "../http/error-answer.ts";
import { agUiDoor } from "./ag-ui/ag-ui-door.ts";
import { aiSdkDoor } from "./ai-sdk/ai-sdk-door.ts";
import type { Door, Refusal } from "./door.ts";
import { mcpDoor } from "./mcp/mcp-door.ts";
import { openAiDoor } from "./openai/openai-door.ts";

/** All doors of other protocols. */
export const DOORS: readonly Door[] = [openAiDoor, agUiDoor, mcpDoor, aiSdkDoor];

/** The door that an address is behind, if it is one's. */
export function doorOf(url = ""): Door | undefined {
  const [path = ""] = url.split("?");
  return DOORS.find(({ paths }) => paths.test(path));
}

/** How the guard of the port tells at a door that it lets a request not through; undefined: the address is behind none. */
export function guardWords(url: string, { status, message }: ErrorAnswer): Refusal | undefined {
  return doorOf(url)?.refusal(new Problem(status === 403 ? "forbidden" : "malformed_request", message));
}

/** The problem as whoever asks here is told of it. */
export function refusalAt(url: string, problem: Problem): Refusal {
  return doorOf(url)?.refusal(problem) ?? problemAnswer(problem);
}
