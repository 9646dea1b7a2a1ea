// Made by `npm run openapi-types` from the API's own description. Do not edit.

export interface paths {
    readonly "/sessions/{id}/export": {
        /** The events of a session as JSON lines, or its messages as Markdown */
        readonly get: {
            readonly responses: {
                /** @description The session */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/jsonl": string;
                        readonly "text/markdown": string;
                    };
                };
            };
        };
    };
    readonly "/sessions/import": {
        /**
         * Take an exported session in, as a new one
         * @description An import is history: it starts no run and gives no permission. Owner, workspace, parent, context, forks and edits of the original are left behind. An export has up to two settings of a session, `thinking` and `budget`; an import with any other setting, event or field is refused by name, and so is one of more than 20,000 events.
         */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Chosen by the client; the same id again is the same command again. A UUID, or `ses_` and 32 hexadecimal digits, is the session's id; any other is a name of the caller's own, and the answer has the id */
                        readonly id?: string;
                        /** @description JSON lines, as exported */
                        readonly content: string;
                    };
                };
            };
            readonly responses: {
                /** @description The new session */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly session: components["schemas"]["Session"];
                        };
                    };
                };
            };
        };
    };
    readonly "/runs/analytics": {
        /** How each agent has done: in the last 10,000 runs, and over all that has ended */
        readonly get: {
            readonly responses: {
                /** @description By agent */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly agents: readonly components["schemas"]["AgentAnalytics"][];
                            readonly allTime: readonly (components["schemas"]["AgentStatistics"] & {
                                readonly agent: string;
                            })[];
                        };
                    };
                };
            };
        };
    };
    readonly "/runs": {
        /** Runs of all sessions, the newest first */
        readonly get: {
            readonly responses: {
                /** @description A page of runs */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly runs: readonly components["schemas"]["Run"][];
                            readonly next: string | null;
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/runs": {
        /** Runs of a session, the newest first */
        readonly get: {
            readonly responses: {
                /** @description A page of runs */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly runs: readonly components["schemas"]["Run"][];
                            readonly next: string | null;
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/runs/{runId}": {
        /** A run */
        readonly get: {
            readonly responses: {
                /** @description The run as it is */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly run: components["schemas"]["Run"];
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/runs/{runId}/cancel": {
        /** Cancel a run */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason?: string;
                    };
                };
            };
            readonly responses: {
                /** @description The run, cancelled */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly run: components["schemas"]["Run"];
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions": {
        /** List sessions, or what changed `since` */
        readonly get: {
            readonly responses: {
                /** @description A page, or what changed */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SessionPage"] | components["schemas"]["SessionChanges"];
                    };
                };
            };
        };
        /** Create a session */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Chosen by the client; the same id again is the same command again. A UUID, or `ses_` and 32 hexadecimal digits, is the session's id; any other is a name of the caller's own, and the answer has the id */
                        readonly id?: string;
                        readonly title?: string;
                        readonly agent?: string;
                        readonly config?: components["schemas"]["SessionConfiguration"];
                    };
                };
            };
            readonly responses: {
                /** @description The new session */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly session: components["schemas"]["Session"];
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}": {
        /** A session with its messages and events, or with those that came after `events_since` */
        readonly get: {
            readonly responses: {
                /** @description The session as it is */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SessionReading"];
                    };
                };
                /** @description It is as the client has it */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        /** Delete a session; it can be restored for 30 days */
        readonly delete: {
            readonly responses: {
                /** @description It is deleted */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        /** Rename, switch the agent, configure, archive */
        readonly patch: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly title?: string;
                        readonly agent?: string;
                        readonly config?: components["schemas"]["SessionConfiguration"];
                        readonly archived?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description The session as it is now */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly session: components["schemas"]["Session"];
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/restore": {
        /** Undo that a session was deleted or archived */
        readonly post: {
            readonly responses: {
                /** @description The session as it was */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly session: components["schemas"]["Session"];
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/messages": {
        /** Add a message of the user's */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["NewMessage"];
                };
            };
            readonly responses: {
                /** @description The message, and the run that answers it */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly message: components["schemas"]["DomainMessage"];
                            readonly run: components["schemas"]["Run"];
                        };
                    };
                };
                /** @description The message, and the run under way that is told of it */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly message: components["schemas"]["DomainMessage"];
                            readonly run: components["schemas"]["Run"];
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/messages/{messageId}": {
        /** Edit a message: a fork with all before it, the edit, and a run that answers it */
        readonly put: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly content: string;
                        /** @description Of the new session */
                        readonly id?: string;
                        readonly title?: string;
                        readonly agent?: string;
                        /** @description Without it, as the session's configuration says; there, off by default */
                        readonly thinking?: boolean;
                        /** @description Let the run that is under way end by itself */
                        readonly orphan?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description The new session and its run */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Forked"];
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/fork": {
        /** Fork a session after a number of messages, after a message, or at an event; else as it is */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Chosen by the client; the same id again is the same command again. A UUID, or `ses_` and 32 hexadecimal digits, is the session's id; any other is a name of the caller's own, and the answer has the id */
                        readonly id?: string;
                        readonly title?: string;
                        /** @description How many messages it begins with */
                        readonly messages?: number;
                        /** @description The last message that it begins with */
                        readonly messageId?: string;
                        /** @description With all that was there then */
                        readonly eventIndex?: number;
                    };
                };
            };
            readonly responses: {
                /** @description The new session */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Forked"];
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/branch": {
        /** Fork after a message, and go on there with another one */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Chosen by the client; the same id again is the same command again. A UUID, or `ses_` and 32 hexadecimal digits, is the session's id; any other is a name of the caller's own, and the answer has the id */
                        readonly id?: string;
                        readonly title?: string;
                        readonly messageId?: string;
                        readonly content: string;
                        /** @description Together up to 20971520 bytes; one that is named twice counts once */
                        readonly files?: readonly string[];
                        readonly agent?: string;
                        readonly skill?: string;
                        /** @description Without it, as the session's configuration says; there, off by default */
                        readonly thinking?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description The new session */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Forked"];
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/runs/{runId}/retry": {
        /** Run again on the same snapshot, in a fork */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Chosen by the client; the same id again is the same command again. A UUID, or `ses_` and 32 hexadecimal digits, is the session's id; any other is a name of the caller's own, and the answer has the id */
                        readonly id?: string;
                        readonly title?: string;
                        readonly agent?: string;
                    };
                };
            };
            readonly responses: {
                /** @description The new session */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Forked"];
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/compare": {
        /** Send one message to several agents, each in a fork of its own, or to several branches */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["NewComparison"];
                };
            };
            readonly responses: {
                /** @description The forks */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly children: readonly (components["schemas"]["Forked"] & {
                                readonly agent: string;
                            })[];
                        };
                    };
                };
            };
        };
    };
    readonly "/approvals": {
        /** What waits, or waited, for a person, the newest first */
        readonly get: {
            readonly responses: {
                /** @description A page of approvals */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly approvals: readonly components["schemas"]["Approval"][];
                            readonly next: string | null;
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/approvals/{approvalId}": {
        /** Answer an approval */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @enum {string} */
                        readonly decision: "approved" | "denied" | "answered";
                        readonly text?: string;
                        /** @description In place of those that were asked about */
                        readonly arguments?: unknown;
                        /** @description The tool is added to the session's `config.allowedTools` */
                        readonly always?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description The run that goes on */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly run: components["schemas"]["Run"];
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/events": {
        /** The events of a session in their order, all or those of a type or a run */
        readonly get: {
            readonly responses: {
                /** @description A page of events */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly events: readonly components["schemas"]["DomainEvent"][];
                            readonly next: string | null;
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/replay": {
        /** The session as it was when it had so many events */
        readonly get: {
            readonly responses: {
                /** @description The session at that event */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly session: components["schemas"]["Session"];
                            readonly messages: readonly components["schemas"]["DomainMessage"][];
                            readonly runs: readonly components["schemas"]["Run"][];
                            readonly index: number;
                            /** @description How many events there are now */
                            readonly last: number;
                        };
                    };
                };
            };
        };
    };
    readonly "/search": {
        /** Search titles and messages */
        readonly get: {
            readonly responses: {
                /** @description The best first */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly hits: readonly {
                                readonly sessionId: string;
                                readonly messageId?: string;
                                readonly title: string;
                                readonly excerpt: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    readonly "/events": {
        /**
         * Events of many sessions as they come, as server-sent events
         * @description Each message is a DomainEvent; its id is a cursor over all sessions of the connection, for `Last-Event-ID` or `cursor`. `ready` comes first and tells from where each session is followed; `reset` says that a session is to be read anew; `gone`, that there is none; `session_changed` tells of the workspace's sessions where no `session_ids` are given; `ended` is the last, where you may not read on: your key was revoked, or has expired; `thinking` is what an agent thinks just now, where nobody asked for it to be kept: it is not told again.
         */
        readonly get: {
            readonly responses: {
                /** @description Events */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/event-stream": string;
                    };
                };
            };
        };
    };
    readonly "/files": {
        /**
         * Upload a file, to be named in messages
         * @description The body is the file as it is, Content-Type its type, X-File-Name its name, percent-encoded.
         */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/octet-stream": string;
                };
            };
            readonly responses: {
                /** @description The file */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly file: components["schemas"]["File"];
                        };
                    };
                };
            };
        };
    };
    readonly "/files/{file}": {
        /** What a file is */
        readonly get: {
            readonly responses: {
                /** @description The file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly file: components["schemas"]["File"];
                        };
                    };
                };
            };
        };
    };
    readonly "/files/{file}/content": {
        /** Download a file */
        readonly get: {
            readonly responses: {
                /** @description The file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/octet-stream": string;
                    };
                };
                /** @description The client has it */
                readonly 304: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    readonly "/agents": {
        /** The agents that can be spoken to */
        readonly get: {
            readonly responses: {
                /** @description A page of agents */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly agents: readonly components["schemas"]["Agent"][];
                            readonly next: string | null;
                        };
                    };
                };
            };
        };
        /** Add an agent by its URL */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["NewAgent"];
                };
            };
            readonly responses: {
                /** @description The agent as it was found */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly agent: components["schemas"]["Agent"];
                        };
                    };
                };
            };
        };
    };
    readonly "/agents/{name}": {
        /** An agent, and how it has done */
        readonly get: {
            readonly responses: {
                /** @description The agent as it is known */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly agent: components["schemas"]["Agent"];
                        };
                    };
                };
            };
        };
        /** Remove an agent */
        readonly delete: {
            readonly responses: {
                /** @description It is removed */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        /** Enable, disable, set credentials (null: none) */
        readonly patch: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly enabled?: boolean;
                        /** @description By the names of the card's security schemes */
                        readonly credentials?: {
                            readonly [key: string]: unknown;
                        } | null;
                    };
                };
            };
            readonly responses: {
                /** @description The agent as it is now */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly agent: components["schemas"]["Agent"];
                        };
                    };
                };
            };
        };
    };
    readonly "/agents/{name}/restore": {
        /** Take the removal of an agent back */
        readonly post: {
            readonly responses: {
                /** @description The agent, with its credentials as they were */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly agent: components["schemas"]["Agent"];
                        };
                    };
                };
            };
        };
    };
    readonly "/agent-checks": {
        /** Look at an agent by its URL without adding it */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["NewAgent"];
                };
            };
            readonly responses: {
                /** @description The agent as it would be */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly agent: components["schemas"]["Agent"];
                        };
                    };
                };
            };
        };
    };
    readonly "/agents/{name}/recheck": {
        /** Look at an agent now */
        readonly post: {
            readonly responses: {
                /** @description The agent as it was found */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly agent: components["schemas"]["Agent"];
                        };
                    };
                };
            };
        };
    };
    readonly "/settings": {
        /** What this platform is set to; keys are never told */
        readonly get: {
            readonly responses: {
                /** @description The settings */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Settings"];
                    };
                };
            };
        };
    };
    readonly "/settings/model-test": {
        /** Take one small turn with a model, and tell how it went */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Without it, the model in use */
                        readonly model?: string;
                    };
                };
            };
            readonly responses: {
                /** @description How it went; what went wrong with the model is in `error` */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ModelTest"];
                    };
                };
            };
        };
    };
    readonly "/keys": {
        /** The API keys of the workspace, without their secrets */
        readonly get: {
            readonly responses: {
                /** @description The keys */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly keys: readonly components["schemas"]["ApiKey"][];
                        };
                    };
                };
            };
        };
        /** Make an API key; its secret is told once */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name: string;
                        /** @description The service account that it speaks for, which is created with it: a name that nobody ever had in the workspace; without it, yourself */
                        readonly owner?: string;
                        /** @description Another workspace than yours: for operators */
                        readonly workspace?: string;
                        /**
                         * @default editor
                         * @enum {string}
                         */
                        readonly role?: "owner" | "editor" | "viewer";
                        /** Format: date-time */
                        readonly expiresAt?: string;
                    };
                };
            };
            readonly responses: {
                /** @description The key, and what to send */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly key: components["schemas"]["ApiKey"];
                            readonly secret: string;
                        };
                    };
                };
            };
        };
    };
    readonly "/keys/{id}": {
        /** Revoke an API key; its open streams end */
        readonly delete: {
            readonly responses: {
                /** @description It is good for nothing any more */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    readonly "/audit": {
        /** Who did what, the newest first */
        readonly get: {
            readonly responses: {
                /** @description The entries */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly entries: readonly components["schemas"]["AuditEntry"][];
                            /** @description Where to go on; with a filter, a page may hold fewer than `limit` */
                            readonly next?: number;
                        };
                    };
                };
            };
        };
    };
    readonly "/webhooks/dead-letters": {
        /** Notifications of your tasks that were given up, the newest first */
        readonly get: {
            readonly responses: {
                /** @description The dead letters */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly deadLetters: readonly components["schemas"]["DeadLetter"][];
                        };
                    };
                };
            };
        };
    };
    readonly "/webhooks/dead-letters/replay": {
        /** Send again what was given up: all of a task, of one of its webhooks, or just one */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly taskId: string;
                        readonly webhookId?: string;
                        readonly index?: number;
                    };
                };
            };
            readonly responses: {
                /** @description They are sent before whatever else waits there, with all their tries */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description How many were queued; 0: none was dead */
                            readonly replayed: number;
                        };
                    };
                };
            };
        };
    };
    readonly "/me": {
        /** Who the caller is, and in which workspace */
        readonly get: {
            readonly responses: {
                /** @description The caller */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Me"];
                    };
                };
            };
        };
    };
    readonly "/me/workspace": {
        /** Choose the workspace for requests of this browser that name none */
        readonly put: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly id: string;
                    };
                };
            };
            readonly responses: {
                /** @description It is chosen */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    readonly "/workspaces": {
        /** The workspaces that the caller is a member of */
        readonly get: {
            readonly responses: {
                /** @description All of them */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly workspaces: readonly components["schemas"]["Workspace"][];
                        };
                    };
                };
            };
        };
        /** Make a workspace; the caller is its owner */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name: string;
                    };
                };
            };
            readonly responses: {
                /** @description The new workspace */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly workspace: components["schemas"]["Workspace"];
                        };
                    };
                };
            };
        };
    };
    readonly "/workspaces/{id}/members": {
        /** Who is in a workspace, and invited */
        readonly get: {
            readonly responses: {
                /** @description All of them */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly members: readonly components["schemas"]["Member"][];
                            /** @description Owners alone see them */
                            readonly invitations: readonly components["schemas"]["Invitation"][];
                        };
                    };
                };
            };
        };
        /** Make a user a member, or invite whoever signs in with an address; owners only */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly userId?: string;
                        /** Format: email */
                        readonly email?: string;
                        /**
                         * @description A viewer reads, an editor also works, an owner also manages people, keys and agents
                         * @enum {string}
                         */
                        readonly role: "owner" | "editor" | "viewer";
                    };
                };
            };
            readonly responses: {
                /** @description Who is in it now */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly members: readonly components["schemas"]["Member"][];
                            /** @description Owners alone see them */
                            readonly invitations: readonly components["schemas"]["Invitation"][];
                        };
                    };
                };
            };
        };
    };
    readonly "/workspaces/{id}/members/{userId}": {
        /** Remove a member, or leave; what they have open ends */
        readonly delete: {
            readonly responses: {
                /** @description They are no member any more */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        /** Change a member's role; owners only */
        readonly patch: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /**
                         * @description A viewer reads, an editor also works, an owner also manages people, keys and agents
                         * @enum {string}
                         */
                        readonly role: "owner" | "editor" | "viewer";
                    };
                };
            };
            readonly responses: {
                /** @description Who is in it now */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly members: readonly components["schemas"]["Member"][];
                            /** @description Owners alone see them */
                            readonly invitations: readonly components["schemas"]["Invitation"][];
                        };
                    };
                };
            };
        };
    };
    readonly "/workspaces/{id}/invitations/{email}": {
        /** Take an invitation back; owners only */
        readonly delete: {
            readonly responses: {
                /** @description It is taken back */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    readonly "/shares": {
        /** The links to all sessions of the caller's that hold */
        readonly get: {
            readonly responses: {
                /** @description The newest first */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly shares: readonly components["schemas"]["OwnShare"][];
                            readonly next: string | null;
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/shares": {
        /** The links to a session that hold */
        readonly get: {
            readonly responses: {
                /** @description The newest first */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly shares: readonly components["schemas"]["Share"][];
                        };
                    };
                };
            };
        };
        /** Make a link by which anybody reads the session, and nothing else */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /**
                         * Format: date-time
                         * @description Without it, until it is revoked
                         */
                        readonly expiresAt?: string;
                    };
                };
            };
            readonly responses: {
                /** @description The link */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly share: components["schemas"]["MadeShare"];
                        };
                    };
                };
            };
        };
    };
    readonly "/sessions/{id}/shares/{shareId}": {
        /** Revoke a link; who reads by it is cut */
        readonly delete: {
            readonly responses: {
                /** @description It opens nothing any more */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    readonly "/shared": {
        /** The session that a link opens, as it is */
        readonly get: {
            readonly responses: {
                /** @description The session */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SessionReading"];
                    };
                };
            };
        };
    };
    readonly "/shared/events": {
        /** Its events in their order */
        readonly get: {
            readonly responses: {
                /** @description A page of events */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly events: readonly components["schemas"]["DomainEvent"][];
                            readonly next: string | null;
                        };
                    };
                };
            };
        };
    };
    readonly "/shared/replay": {
        /** The session as it was when it had so many events */
        readonly get: {
            readonly responses: {
                /** @description The session at that event */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly session: components["schemas"]["Session"];
                            readonly messages: readonly components["schemas"]["DomainMessage"][];
                            readonly runs: readonly components["schemas"]["Run"][];
                            readonly index: number;
                            /** @description How many events there are now */
                            readonly last: number;
                        };
                    };
                };
            };
        };
    };
    readonly "/shared/stream": {
        /** Its events as they come; ends when the link does */
        readonly get: {
            readonly responses: {
                /** @description Events */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/event-stream": string;
                    };
                };
            };
        };
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly DomainEvent: {
            readonly id: string;
            readonly sessionId: string;
            readonly index: number;
            /** @enum {string} */
            readonly type: "session_created" | "session_renamed" | "agent_switched" | "config_changed" | "user_message" | "agent_message" | "agent_start" | "agent_status" | "agent_token_start" | "agent_token" | "agent_token_end" | "agent_tool_call" | "agent_tool_result" | "agent_plan" | "agent_artifact" | "approval_requested" | "approval_answered" | "agent_complete" | "agent_cancelled" | "edit" | "fork" | "session_forked" | "session_archived" | "session_restored" | "session_deleted";
            readonly payload: {
                readonly [key: string]: unknown;
            };
            /** Format: date-time */
            readonly timestamp: string;
        };
        readonly Problem: {
            readonly type: string;
            readonly title: string;
            readonly status: number;
            readonly detail: string;
            readonly code: string;
            readonly errors?: readonly {
                /** @example body.content */
                readonly path: string;
                readonly message: string;
            }[];
        };
        readonly Session: {
            readonly id: string;
            readonly title: string;
            /** Format: date-time */
            readonly createdAt: string;
            /** Format: date-time */
            readonly updatedAt: string;
            readonly parentId?: string;
            /** @description The index of its last event */
            readonly revision: number;
            readonly metadata: {
                readonly agentUrl?: string;
                readonly messageCount: number;
                readonly agent?: string;
                readonly config?: {
                    readonly [key: string]: unknown;
                };
                /** @description In lists, of a session without a title or of a fork: the words that its user began with, which are not its parent’s */
                readonly opening?: string;
            };
            /** @enum {string} */
            readonly status: "active" | "archived" | "deleted";
            readonly restorableUntil?: string;
            /** @description Its forks; lists leave them out */
            readonly children?: readonly {
                readonly id: string;
                readonly reason: string;
                readonly messages: number;
            }[];
        };
        readonly AgentAnalytics: {
            readonly agent: string;
            readonly runs: number;
            readonly byStatus: {
                readonly [key: string]: number;
            };
            readonly durationMs?: {
                readonly mean: number;
                readonly p50: number;
                readonly p95: number;
                readonly longest: number;
            };
            readonly inputTokens: number;
            readonly outputTokens: number;
            readonly cost: readonly {
                readonly amount: number;
                readonly currency: string;
            }[];
        };
        /** @description What people asked it itself */
        readonly EndedWork: {
            readonly ended: number;
            readonly failed: number;
            readonly cancelled: number;
            readonly meanMs?: number;
            readonly longestMs?: number;
            readonly meanFirstTokenMs?: number;
        };
        readonly AgentStatistics: {
            readonly runs: components["schemas"]["EndedWork"];
            readonly delegations: components["schemas"]["EndedWork"] & unknown;
            readonly inputTokens: number;
            readonly outputTokens: number;
            readonly cost: readonly {
                readonly amount: number;
                readonly currency: string;
            }[];
        };
        readonly Run: {
            readonly id: string;
            readonly sessionId: string;
            readonly agent: string;
            readonly agentUrl: string;
            readonly contextId: string;
            readonly inputSnapshotHash: string;
            readonly messageId: string;
            /** @enum {string} */
            readonly status: "running" | "waiting" | "completed" | "failed" | "cancelled";
            /** Format: date-time */
            readonly startedAt?: string;
            /** Format: date-time */
            readonly completedAt?: string;
            readonly retryOf?: string;
            readonly reason?: string;
            readonly usage?: {
                readonly [key: string]: unknown;
            };
            /** @description What it said so far, while it runs */
            readonly text?: string;
            readonly plan?: readonly unknown[];
        };
        readonly SessionPage: {
            readonly sessions: readonly components["schemas"]["Session"][];
            readonly next: string | null;
            /** @description For `since`: what changes from now on */
            readonly cursor: string;
        };
        readonly SessionChanges: {
            readonly new: readonly components["schemas"]["Session"][];
            readonly updated: readonly components["schemas"]["Session"][];
            readonly deleted: readonly string[];
            readonly cursor: string;
            readonly more: boolean;
            /** @description The cursor is not ours: load the list anew, go on from this one */
            readonly reset: boolean;
        };
        /** @description `thinking`: keep what agents think; `fallbacks`: who is asked when the agent cannot be reached; `budget`: what each run may use, handed down with it; `allowedTools`: what may be called without asking. What else is in it is the client's own. */
        readonly SessionConfiguration: {
            readonly thinking?: boolean;
            readonly fallbacks?: readonly string[];
            readonly budget?: {
                readonly timeMs: number;
                readonly tokens: number;
                readonly cost: {
                    readonly amount: number;
                    readonly currency: string;
                };
                readonly depth: number;
                readonly fanOut: number;
            };
            readonly allowedTools?: readonly {
                readonly agent?: string;
                readonly tool: string;
            }[];
        } & {
            readonly [key: string]: unknown;
        };
        readonly SessionReading: {
            readonly session: components["schemas"]["Session"];
            readonly messages: readonly components["schemas"]["DomainMessage"][];
            readonly events: readonly components["schemas"]["DomainEvent"][];
            /** @description There are more events: ask for them by `events_since` */
            readonly next?: number;
            /**
             * @description The client was ahead: this is all there is
             * @enum {boolean}
             */
            readonly reset?: true;
            /** @description Where the event stream goes on from here */
            readonly cursor: string;
        };
        readonly DomainMessage: {
            readonly id: string;
            readonly sessionId: string;
            readonly index: number;
            /** @enum {string} */
            readonly role: "user" | "assistant" | "system" | "tool";
            readonly content: string;
            /** Format: date-time */
            readonly timestamp: string;
            readonly metadata: {
                readonly agentRunId?: string;
                readonly toolCalls?: readonly components["schemas"]["ToolCall"][];
                readonly isEdited?: boolean;
                readonly editHistory?: readonly {
                    readonly sessionId: string;
                    readonly messageId: string;
                }[];
                readonly agent?: string;
                readonly files?: readonly components["schemas"]["File"][];
            };
        };
        readonly ToolCall: {
            readonly id: string;
            readonly name: string;
            readonly arguments?: unknown;
            readonly outcome?: string;
            readonly result?: unknown;
        };
        readonly File: {
            readonly id: string;
            readonly name: string;
            readonly mediaType: string;
            readonly size: number;
        };
        readonly NewMessage: {
            readonly content: string;
            /** @description Together up to 20971520 bytes; one that is named twice counts once */
            readonly files?: readonly string[];
            /** @description Chosen by the client; the same id again is the same command again */
            readonly id?: string;
            readonly agent?: string;
            readonly skill?: string;
            /** @description Without it, as the session's configuration says; there, off by default */
            readonly thinking?: boolean;
        };
        readonly Forked: {
            readonly session: components["schemas"]["Session"];
            readonly messages: readonly components["schemas"]["DomainMessage"][];
            readonly run?: components["schemas"]["Run"];
            readonly message?: components["schemas"]["DomainMessage"];
        };
        readonly NewComparison: {
            readonly content: string;
            /** @description Together up to 20971520 bytes; one that is named twice counts once */
            readonly files?: readonly string[];
            /**
             * @description Each answers in a fork of its own
             * @default []
             */
            readonly agents: readonly string[];
            /**
             * @description Sessions, such as forks of this one, in which the message is posted
             * @default []
             */
            readonly branches: readonly string[];
            /** @description Without it, as the session's configuration says; there, off by default */
            readonly thinking?: boolean;
        };
        readonly Approval: {
            readonly id: string;
            readonly sessionId: string;
            readonly runId: string;
            readonly question: string;
            /** Format: date-time */
            readonly requestedAt: string;
            readonly agent?: string;
            readonly tool?: string;
            readonly arguments?: unknown;
            /** @enum {string} */
            readonly decision?: "approved" | "denied" | "answered";
            /** Format: date-time */
            readonly answeredAt?: string;
            readonly answer?: {
                readonly text?: string;
                /** @description Those that were approved instead */
                readonly arguments?: unknown;
                /**
                 * @description Nobody was asked: the session's `config.allowedTools` names the tool
                 * @enum {boolean}
                 */
                readonly always?: true;
            };
        };
        readonly Agent: {
            readonly name: string;
            readonly url: string;
            /** @enum {string} */
            readonly state: "starting" | "up" | "down";
            readonly enabled: boolean;
            readonly hosted?: boolean;
            /** @description It was added here, and can be removed here */
            readonly added?: boolean;
            readonly since?: string;
            readonly description?: string;
            readonly skills?: readonly {
                readonly id: string;
                readonly name: string;
                readonly description: string;
                readonly tags: readonly string[];
                readonly examples?: readonly string[];
            }[];
            readonly capabilities?: {
                readonly [key: string]: unknown;
            };
            /** @description How it is spoken to, while it is up */
            readonly negotiated?: {
                readonly binding: string;
                readonly dialect: string;
                readonly url: string;
                /** @enum {string} */
                readonly delivery: "stream" | "poll";
                /** @description It is handed snapshots, budgets and approvals */
                readonly runExtension: boolean;
                readonly idempotencyKeys: boolean;
            };
            readonly statistics?: components["schemas"]["AgentStatistics"] & unknown;
            /** @description How its card wants callers to prove who they are; absent: not at all */
            readonly schemes?: readonly {
                readonly name: string;
                /** @enum {string} */
                readonly kind: "apiKey" | "bearer" | "basic" | "other";
            }[];
            /** @description What they are is never told */
            readonly hasCredentials: boolean;
            readonly trouble?: string;
            readonly findings?: readonly string[];
        };
        readonly NewAgent: {
            /** Format: uri */
            readonly url: string;
            readonly name?: string;
            /** @description By the names of the card's security schemes */
            readonly credentials?: {
                readonly [key: string]: unknown;
            };
        };
        readonly Settings: {
            readonly version: string;
            /** @enum {string} */
            readonly database: "sqlite" | "postgres";
            readonly model: {
                /** @description provider:model, or offline */
                readonly name: string;
                /** @description Why it cannot be used */
                readonly trouble?: string;
            };
            readonly providers: readonly {
                readonly provider: string;
                readonly hasKey: boolean;
                readonly keyVariables: readonly string[];
                readonly defaultModel?: string;
            }[];
            readonly agents: readonly {
                readonly name: string;
                /** @enum {string} */
                readonly state: "starting" | "up" | "failed";
                readonly model: string;
                readonly troubles: readonly string[];
                readonly mcpServers: readonly {
                    readonly server: string;
                    /** @enum {string} */
                    readonly state: "starting" | "ready" | "down" | "restarting" | "stopped";
                    readonly reason?: string;
                    readonly tools: readonly string[];
                }[];
            }[];
            /** @description What one request may use; a session's `config.budget` can only lower it */
            readonly limits: {
                readonly supervisor: {
                    readonly steps: number;
                    readonly seconds: number;
                    readonly tokens: number;
                    readonly parallel: number;
                };
                readonly agents: {
                    readonly steps: number;
                    readonly seconds: number;
                    readonly tokens: number;
                    readonly parallel: number;
                };
            };
            readonly howToChange: string;
        };
        readonly ModelTest: {
            readonly model: string;
            readonly ok: boolean;
            readonly latencyMs: number;
            readonly text?: string;
            /** @description What is wrong, and what to do */
            readonly error?: string;
        };
        readonly ApiKey: {
            readonly id: string;
            readonly name: string;
            /** @description The user that it speaks for */
            readonly owner: string;
            readonly workspace: string;
            /** @enum {string} */
            readonly role: "owner" | "editor" | "viewer";
            /** @description How the key begins */
            readonly prefix: string;
            readonly createdAt: string;
            readonly expiresAt?: string;
            /** @description To within an hour */
            readonly lastUsedAt?: string;
        };
        readonly AuditEntry: {
            readonly index: number;
            readonly at: string;
            /** @description Who did it */
            readonly owner: string;
            /** @description How a person would name them */
            readonly name: string;
            /** @example key.created */
            readonly action: string;
            readonly target: string;
            /** @description From where */
            readonly address?: string;
            readonly details?: {
                readonly [key: string]: string;
            };
        };
        readonly DeadLetter: {
            readonly taskId: string;
            /** @description The task's push notification config */
            readonly webhookId: string;
            /** @description Which event of the task it tells */
            readonly index: number;
            /** @description Scheme, host and port */
            readonly receiver: string;
            readonly tries: number;
            /** @description What the last try came to */
            readonly error: string;
            /** Format: date-time */
            readonly diedAt: string;
        };
        readonly Me: {
            readonly user: {
                readonly id: string;
                readonly name: string;
                readonly email?: string;
            };
            readonly workspace: components["schemas"]["Workspace"];
            /** @description Those that X-Workspace may name */
            readonly workspaces: readonly components["schemas"]["Workspace"][];
            /** @description Whether the caller signed in on a page, and can sign out */
            readonly isLogin: boolean;
        };
        /** @description A workspace, as the caller may use it */
        readonly Workspace: {
            readonly id: string;
            readonly name: string;
            /**
             * @description A viewer reads, an editor also works, an owner also manages people, keys and agents
             * @enum {string}
             */
            readonly role: "owner" | "editor" | "viewer";
        };
        readonly Member: {
            readonly userId: string;
            readonly name: string;
            readonly email?: string;
            /**
             * @description A viewer reads, an editor also works, an owner also manages people, keys and agents
             * @enum {string}
             */
            readonly role: "owner" | "editor" | "viewer";
            /**
             * @description PARLEY_OPERATORS makes them an owner: that is changed there alone
             * @enum {boolean}
             */
            readonly isSet?: true;
        };
        /** @description Whoever signs in with this address becomes a member */
        readonly Invitation: {
            readonly email: string;
            /**
             * @description A viewer reads, an editor also works, an owner also manages people, keys and agents
             * @enum {string}
             */
            readonly role: "owner" | "editor" | "viewer";
            readonly by: string;
        };
        /** @description A link to a session of the caller's */
        readonly OwnShare: components["schemas"]["Share"] & {
            readonly sessionId: string;
            readonly title: string;
        };
        /** @description A link by which anybody reads the session */
        readonly Share: {
            readonly id: string;
            /** Format: date-time */
            readonly createdAt: string;
            /** Format: date-time */
            readonly expiresAt?: string;
        };
        /** @description A link by which anybody reads the session */
        readonly MadeShare: components["schemas"]["Share"] & {
            /** @description Told this once: send it as X-Share-Token to /shared, or open /s/shared#TOKEN */
            readonly token: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type DomainEvent = components['schemas']['DomainEvent'];
export type Problem = components['schemas']['Problem'];
export type Session = components['schemas']['Session'];
export type AgentAnalytics = components['schemas']['AgentAnalytics'];
export type EndedWork = components['schemas']['EndedWork'];
export type AgentStatistics = components['schemas']['AgentStatistics'];
export type Run = components['schemas']['Run'];
export type SessionPage = components['schemas']['SessionPage'];
export type SessionChanges = components['schemas']['SessionChanges'];
export type SessionConfiguration = components['schemas']['SessionConfiguration'];
export type SessionReading = components['schemas']['SessionReading'];
export type DomainMessage = components['schemas']['DomainMessage'];
export type ToolCall = components['schemas']['ToolCall'];
export type File = components['schemas']['File'];
export type NewMessage = components['schemas']['NewMessage'];
export type Forked = components['schemas']['Forked'];
export type NewComparison = components['schemas']['NewComparison'];
export type Approval = components['schemas']['Approval'];
export type Agent = components['schemas']['Agent'];
export type NewAgent = components['schemas']['NewAgent'];
export type Settings = components['schemas']['Settings'];
export type ModelTest = components['schemas']['ModelTest'];
export type ApiKey = components['schemas']['ApiKey'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type DeadLetter = components['schemas']['DeadLetter'];
export type Me = components['schemas']['Me'];
export type Workspace = components['schemas']['Workspace'];
export type Member = components['schemas']['Member'];
export type Invitation = components['schemas']['Invitation'];
export type OwnShare = components['schemas']['OwnShare'];
export type Share = components['schemas']['Share'];
export type MadeShare = components['schemas']['MadeShare'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
