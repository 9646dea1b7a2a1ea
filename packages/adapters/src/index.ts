export type { AdapterHost, Runs, UploadedFile } from "./adapter-host.ts";
export { ADAPTERS, adapterAt, guardRefusal, refusalAt } from "./adapters.ts";
export { commandIds, keyed, type NamedKey, requestKey } from "./conversations/command-ids.ts";
export { Conversations } from "./conversations/conversations.ts";
export { percentDecoded } from "./conversations/data-url.ts";
export { withOwnId } from "./conversations/named-session.ts";
export { onlyOne, openSession, recordedEvents } from "./conversations/session-reading.ts";
export { invalid, issueCode, PROBLEMS, Problem, problemAnswer, problemOf, unless } from "./problem.ts";
