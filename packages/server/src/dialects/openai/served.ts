import type { Api } from "../../api/api-options.ts";
import type { ConversationDoor } from "./asking/conversation-door.ts";
import type { ToldAnswers } from "./asking/told-answers.ts";
import type { ResponseNotes } from "./response-notes.ts";

/** What the routes that talk stand on: all of them share it. */
export interface Served {
  readonly api: Api;
  readonly door: ConversationDoor;
  readonly answers: ToldAnswers;
  readonly notes: ResponseNotes;
}
