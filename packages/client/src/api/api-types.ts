import type { DomainEvent } from "./domain-event.ts";
import type * as Api from "./generated.ts";

/** What the API answers with, by its names; made from its description. */
export type {
  Agent,
  ApiKey,
  Approval,
  AuditEntry,
  DomainMessage,
  File as ApiFile,
  Invitation,
  Me,
  Member,
  ModelTest,
  OwnShare,
  Problem as ProblemBody,
  Run,
  Session,
  SessionChanges,
  SessionPage,
  Settings,
  Share,
  ToolCall,
} from "./generated.ts";

/** What somebody may do in a workspace. */
export type Role = Api.Member["role"];

/** Who is in a workspace, and who is invited. */
export type Members = AnswerTo<"get", "/workspaces/{id}/members">;

export type SessionStatus = Api.Session["status"];
export type Configuration = NonNullable<Api.Session["metadata"]["config"]>;
export type RunStatus = Api.Run["status"];
export type Decision = NonNullable<Api.Approval["decision"]>;

/** A fork of a session, as its parent knows it. */
export type SessionChild = NonNullable<Api.Session["children"]>[number];

/** A message that this one is an edit of. */
export type EditRecord = NonNullable<Api.DomainMessage["metadata"]["editHistory"]>[number];

/** A session with its messages and events, all or those after an index. */
export type SessionReading = Omit<Api.SessionReading, "events"> & { readonly events: readonly DomainEvent[] };

export type EventPage = Page & { readonly events: readonly DomainEvent[] };

/** What the API answers to a request that it carries out. */
export type AnswerTo<
  Method extends "get" | "post" | "put" | "patch" | "delete",
  Path extends keyof Api.paths,
> = Api.paths[Path] extends { readonly [method in Method]: { readonly responses: infer Responses } }
  ? [Extract<Responses[keyof Responses], Json>] extends [never]
    ? undefined
    : Extract<Responses[keyof Responses], Json>["content"]["application/json"]
  : never;

type Json = { content: { readonly "application/json": unknown } };

/** Something that a search found. */
export type SearchHit = AnswerTo<"get", "/search">["hits"][number];

type Page = Pick<Api.SessionPage, "next">;
