export * from "./domain/session-event.ts";
export * from "./domain/session-state.ts";
