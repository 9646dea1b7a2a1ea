export * from "./domain/decide.ts";
export * from "./domain/session-command.ts";
export * from "./domain/session-event.ts";
export * from "./domain/session-state.ts";
export * from "./domain/snapshot.ts";
export * from "./open-session.ts";
export * from "./session-streams.ts";
export type * from "./sessions.ts";
