import { type ApiClient, type DomainEvent, EventFeed } from "@parley/client";
import { EXIT, type ExitCode } from "../../command-error.ts";
import { pages } from "../../pages.ts";
import { apiKey, BACKOFF } from "../../server-address.ts";
import { inkFor } from "../../terminal/ink.ts";
import { untilInterrupted } from "../../terminal/interruption.ts";
import { clipped, type Line, span, type Tone } from "../../terminal/line.ts";
import { visibleJson } from "../../terminal/plain-text.ts";
import { tell } from "../../terminal/print.ts";
import { CONNECTION_LOST, RECONNECTED } from "../view/connection-notice.ts";
import { existingSession } from "./existing-session.ts";
import { followedEvents, readEvents } from "./followed-events.ts";

/** What is followed, and from when. */
export interface TailOptions {
  readonly client: ApiClient;
  readonly server: string;
  /** Empty for all sessions, existing and new. */
  readonly sessionIds: readonly string[];
  /** Events since then are printed first; milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly isJson: boolean;
}

/** Prints events as they happen, until it is interrupted. */
export async function tail(options: TailOptions): Promise<ExitCode> {
  const { client, server, sessionIds, since, isJson } = options;
  using interrupted = untilInterrupted();
  const { signal } = interrupted;
  const ink = inkFor(process.stdout);
  const fitted = (line: Line) =>
    process.stdout.isTTY ? clipped(line, (process.stdout.columns || 80) - 1) : line;
  const show = (event: DomainEvent) =>
    process.stdout.write(`${isJson ? visibleJson(event) : ink(fitted(eventLine(event)))}\n`);
  let wasLost = false;
  const onConnection = (isLive: boolean) => {
    if (isLive === wasLost) tell(isLive ? RECONNECTED : CONNECTION_LOST);
    wasLost = !isLive;
  };
  for (const id of sessionIds) await existingSession(client, id);
  const known: Record<string, number> = {};
  if (since !== undefined) {
    // Sessions that have not changed since then have no such events.
    for (const id of sessionIds.length > 0 ? sessionIds : await changedSince(client, since)) {
      for await (const event of readEvents(client, id, { signal })) {
        known[id] = event.index;
        if (Date.parse(event.timestamp) >= since) show(event);
      }
    }
  }
  const feed = new EventFeed({ baseUrl: server, key: apiKey(), sessionIds, backoff: BACKOFF });
  const wanted = { wanted: sessionIds, since: known };
  for await (const event of followedEvents({ client, feed, signal, onConnection, ...wanted })) show(event);
  return EXIT.interrupted;
}

async function changedSince(client: ApiClient, since: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { sessions } of pages((query) => client.listSessions({ limit: 100, ...query }))) {
    const changed = sessions.filter(({ updatedAt }) => Date.parse(updatedAt) >= since);
    ids.push(...changed.map(({ id }) => id));
    // The newest come first.
    if (changed.length < sessions.length) break;
  }
  return ids;
}

/** An event in one line: time, session, agent and what happened. */
function eventLine(event: DomainEvent): Line {
  const { sessionId, index, timestamp } = event;
  const [what, tone = "plain"] = wordsOf(event);
  return [
    span(`${timeOf(timestamp)} `, "quiet"),
    span(`${sessionId} ${String(index).padStart(5)} `, "quiet"),
    span(`${agentOf(event).padEnd(12)} `, "notice"),
    span(what.replaceAll(/(?<!\s)\s*\n\s*/g, " ⏎ "), tone),
  ];
}

function timeOf(timestamp: string): string {
  const at = new Date(timestamp);
  return Number.isNaN(at.getTime()) ? timestamp : at.toLocaleTimeString("en-GB");
}

function agentOf({ type, payload }: DomainEvent): string {
  const agent = "agent" in payload ? payload.agent : undefined;
  return type === "user_message" || type === "approval_answered" ? "you" : (agent ?? "");
}

/** What happened, in a few words; for an unknown type, its name and payload. */
function wordsOf(event: DomainEvent): readonly [string, Tone?] {
  switch (event.type) {
    case "session_created":
      return [`session created ${event.payload.title}`, "strong"];
    case "session_renamed":
      return [`renamed to ${event.payload.title}`];
    case "agent_switched":
      return [`switched to ${event.payload.agent}`];
    case "config_changed":
      return ["configuration changed"];
    case "user_message":
      return [`says ${event.payload.content}`, "strong"];
    case "agent_message":
      return [`says ${event.payload.content}`];
    case "agent_start":
      return [event.payload.retryOf === undefined ? "starts" : `retries ${event.payload.retryOf}`];
    case "agent_status":
      return [`${event.payload.state} ${event.payload.text ?? ""}`, "quiet"];
    case "agent_token_start":
      return [`starts ${event.payload.channel} ${event.payload.name ?? ""}`, "quiet"];
    case "agent_token":
      return [`“${event.payload.text}”`];
    case "agent_token_end":
      return ["text ended", "quiet"];
    case "agent_tool_call":
      return [`calls ${event.payload.tool} ${visibleJson(event.payload.arguments ?? {})}`];
    case "agent_tool_result":
      return [
        `${event.payload.callId} ${event.payload.outcome} ${event.payload.text ?? ""}`,
        outcomeTone(event.payload.outcome),
      ];
    case "agent_plan":
      return [`plan: ${event.payload.steps.map(({ title, state }) => `${title} (${state})`).join(", ")}`];
    case "agent_artifact":
      return [`artifact ${event.payload.name ?? event.payload.artifactId}`];
    case "approval_requested":
      return [`asks ${event.payload.question} ${visibleJson(event.payload.arguments ?? {})}`, "notice"];
    case "approval_answered":
      return [`${event.payload.decision} ${event.payload.text ?? ""}`, "notice"];
    case "agent_complete":
      return [
        `${event.payload.state} ${event.payload.reason ?? ""}`,
        event.payload.state === "failed" ? "bad" : "good",
      ];
    case "agent_cancelled":
      return [`stopped ${event.payload.reason}`, "notice"];
    case "edit":
      return [`edited into ${event.payload.childId}`];
    case "fork":
      return [`forked from ${event.payload.parentId}`];
    case "session_forked":
      return [`forked into ${event.payload.childId} (${event.payload.reason})`];
    case "session_archived":
      return ["archived"];
    case "session_restored":
      return ["restored"];
    case "session_deleted":
      return ["deleted"];
    default: {
      const unknown: { readonly type: string; readonly payload: unknown } = event;
      return [`${unknown.type} ${visibleJson(unknown.payload)}`];
    }
  }
}

function outcomeTone(outcome: string): Tone {
  return outcome === "succeeded" ? "good" : outcome === "failed" ? "bad" : "notice";
}
