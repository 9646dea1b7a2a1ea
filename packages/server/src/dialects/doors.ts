import { type Problem, problemAnswer } from "../api/problem.ts";
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

/** The problem as whoever asks here is told of it. */
export function refusalAt(url: string, problem: Problem): Refusal {
  return doorOf(url)?.refusal(problem) ?? problemAnswer(problem);
}
