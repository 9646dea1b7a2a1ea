import { ofStep } from "./requirement.ts";

/** The fifth seed: the backend of record. */
export const systemOfRecord = [
  ...ofStep("sessions", [
    ["S4.1", "The backend owns sessions, history, edits, runs, events and permissions"],
    ["S4.2", "A2A only at the agents' boundary; clients are caches"],
    ["S4.3", "Table sessions"],
    ["S4.4", "Table session_messages"],
    ["S4.5", "Table agent_runs"],
    ["S4.6", "Table session_events"],
    ["S4.7", "Table session_forks"],
    ["S4.8", "A run appends the message, hashes the snapshot and calls the agent with the last messages"],
    ["S4.9", "What an agent says is transformed, persisted and then broadcast"],
    ["S4.10", "A run restarts from the same snapshot"],
    ["S4.11", "An edit forks, and clients switch"],
    ["S4.13", "?since= and ?events_since="],
    ["S4.14", "REST: create, list and get sessions"],
    ["S4.15", "REST: messages"],
    ["S4.16", "REST: runs"],
    ["S4.17", "REST: edits and forks"],
    ["S4.18", "REST: events"],
    ["S4.19", "SSE under /api/v1"],
    ["S4.20", "The types Session, DomainMessage and DomainEvent as given"],
    ["S4.22", "Every mapping from A2A to domain events"],
    ["S4.23", "Every event type of the tables"],
    ["S4.24", "An OpenAPI document and a client made from it"],
    ["S4.26", "Another agent in mid-session"],
    ["S4.31", "/sessions for old clients; migrations that lose nothing"],
    ["S4.33", "The open questions answered"],
  ]),
  ...ofStep("supervisor", [
    ["S4.25", "Registry: URLs, cards, discovery, health, selection"],
    ["S4.27", "Agents that are away: retry, fallback"],
  ]),
  ...ofStep("clients", [
    ["S4.12", "Client: cache, stale render, optimistic updates, drafts, scroll, panels, preferences"],
    ["S4.28", "Edit UI, branch navigation, full replay"],
    ["S4.29", "Reconciliation, offline with sync"],
    ["S4.30", "Event inspector, run analytics, performance metrics"],
    ["S4.32", "The six success metrics"],
  ]),
];
