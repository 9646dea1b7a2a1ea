// Made by `npm run openapi-types` from the API's own description. Do not edit.

export interface paths {
    readonly "/sessions/{id}/export": {
        /** Export a session: its events as JSON lines, or its messages as Markdown */
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
         * Import an exported session as a new one
         * @description An import is history: it starts no run and grants no permission. The owner, workspace, parent, context, forks and edits of the original are dropped. Of a session's settings an export has only `thinking` and `budget`; an import with any other setting, event or field, or with more than 20,000 events, is refused.
         */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Chosen by the client; the same id again repeats the command. A UUID, or `ses_` and 32 hexadecimal digits, becomes the session's id; any other is a name that only the caller knows, and the response has the id */
                        readonly id?: string;
                        /** @description JSON lines, as exported */
                        readonly content: string;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
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
        /** Get statistics by agent: of the last 10,000 runs, and of all ended runs */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** List the runs of all sessions, newest first */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** List the runs of a session, newest first */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** Get a run */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
                /** @description OK */
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
        /** List sessions, or those that changed `since` a cursor */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
                        /** @description Chosen by the client; the same id again repeats the command. A UUID, or `ses_` and 32 hexadecimal digits, becomes the session's id; any other is a name that only the caller knows, and the response has the id */
                        readonly id?: string;
                        readonly title?: string;
                        readonly agent?: string;
                        readonly config?: components["schemas"]["SessionConfiguration"];
                    };
                };
            };
            readonly responses: {
                /** @description Created */
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
        /** Get a session with its messages and events, or with those after `events_since` */
        readonly get: {
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SessionReading"];
                    };
                };
                /** @description Not modified */
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
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        /** Rename, configure or archive a session, or switch its agent */
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
                /** @description OK */
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
        /** Restore a deleted or archived session */
        readonly post: {
            readonly responses: {
                /** @description OK */
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
        /** Post a user message */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["NewMessage"];
                };
            };
            readonly responses: {
                /** @description The message and the run that answers it */
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
                /** @description The message and the active run that receives it */
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
        /** Edit a message: fork before it, post the new text and run the agent */
        readonly put: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly content: string;
                        /** @description The id of the new session */
                        readonly id?: string;
                        readonly title?: string;
                        readonly agent?: string;
                        /** @description Store what the agent thinks; by default as the session is configured, which is off unless set */
                        readonly thinking?: boolean;
                        /** @description Let the active run finish instead of cancelling it */
                        readonly orphan?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
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
        /** Fork a session, at its end or at an earlier message or event */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Chosen by the client; the same id again repeats the command. A UUID, or `ses_` and 32 hexadecimal digits, becomes the session's id; any other is a name that only the caller knows, and the response has the id */
                        readonly id?: string;
                        readonly title?: string;
                        /** @description Fork after this many messages */
                        readonly messages?: number;
                        /** @description Fork after this message */
                        readonly messageId?: string;
                        /** @description Fork after this event */
                        readonly eventIndex?: number;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
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
        /** Fork after a message and continue with a new one */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Chosen by the client; the same id again repeats the command. A UUID, or `ses_` and 32 hexadecimal digits, becomes the session's id; any other is a name that only the caller knows, and the response has the id */
                        readonly id?: string;
                        readonly title?: string;
                        readonly messageId?: string;
                        readonly content: string;
                        /** @description Up to 20971520 bytes in total; a file that is named twice counts once */
                        readonly files?: readonly string[];
                        readonly agent?: string;
                        readonly skill?: string;
                        /** @description Store what the agent thinks; by default as the session is configured, which is off unless set */
                        readonly thinking?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
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
        /** Repeat a run on the same input, in a fork */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Chosen by the client; the same id again repeats the command. A UUID, or `ses_` and 32 hexadecimal digits, becomes the session's id; any other is a name that only the caller knows, and the response has the id */
                        readonly id?: string;
                        readonly title?: string;
                        readonly agent?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
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
        /** Send a message to several agents, each in its own fork, or to several branches */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["NewComparison"];
                };
            };
            readonly responses: {
                /** @description Created */
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
        /** List approvals, newest first */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
                        /** @description Replace the arguments of the call */
                        readonly arguments?: unknown;
                        /** @description Add the tool to the session's `config.allowedTools` */
                        readonly always?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description The run that continues */
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
        /** List the events of a session in order, optionally of one type or run */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** Get a session as it was after an event */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
                            /** @description The index of the last event now */
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
                /** @description Best match first */
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
         * Stream the events of many sessions as server-sent events
         * @description Each message is a DomainEvent; its id is a cursor over all sessions of the connection, for `Last-Event-ID` or `cursor`. `ready` comes first, with the index after which each session is followed; `reset`: reload this session; `gone`: there is no such session; `session_changed`: a session of the workspace was created, updated or deleted, sent only without `session_ids`; `thinking`: what an agent thinks now, sent once and not stored; `ended` comes last, when access has ended, for example because the API key was revoked or has expired.
         */
        readonly get: {
            readonly responses: {
                /** @description Server-sent events */
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
         * Upload a file to be used in messages
         * @description The body is the file, Content-Type its media type and X-File-Name its percent-encoded name.
         */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/octet-stream": string;
                };
            };
            readonly responses: {
                /** @description Created */
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
        /** Describe a file */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
                /** @description Not modified */
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
        /** List agents */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
                /** @description Created */
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
        /** Get an agent and its statistics */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
                /** @description No Content */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        /** Enable or disable an agent, or set its credentials */
        readonly patch: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly enabled?: boolean;
                        /** @description `null` removes them */
                        readonly credentials?: {
                            readonly [key: string]: unknown;
                        } | null;
                    };
                };
            };
            readonly responses: {
                /** @description OK */
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
        /** Restore a removed agent with its credentials */
        readonly post: {
            readonly responses: {
                /** @description OK */
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
        /** Check an agent by its URL without adding it */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["NewAgent"];
                };
            };
            readonly responses: {
                /** @description OK */
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
        /** Check an agent now */
        readonly post: {
            readonly responses: {
                /** @description OK */
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
        /** Get the platform's settings, without keys */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** Test a model with one short request */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description By default the model in use */
                        readonly model?: string;
                    };
                };
            };
            readonly responses: {
                /** @description The result; failures of the model are in `error` */
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
        /** List the API keys of the workspace, without their secrets */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** Create an API key; its secret is shown only once */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name: string;
                        /** @description A service account that the key acts for and that is created with it; the name must never have been used in the workspace. By default the key acts for the caller */
                        readonly owner?: string;
                        /** @description A workspace other than the caller's; operators only */
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
                /** @description Created */
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
        /** Revoke an API key and end its open streams */
        readonly delete: {
            readonly responses: {
                /** @description No Content */
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
        /** List audit log entries, newest first */
        readonly get: {
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly entries: readonly components["schemas"]["AuditEntry"][];
                            /** @description The `before` of the next page; a filtered page may have fewer than `limit` entries */
                            readonly next?: number;
                        };
                    };
                };
            };
        };
    };
    readonly "/webhooks/dead-letters": {
        /** List undeliverable notifications of the caller's tasks, newest first */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** Resend undeliverable notifications of a task, of one of its webhooks, or a single one */
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
                /** @description They are sent before everything else in the queue, with the full number of tries */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description How many were queued */
                            readonly replayed: number;
                        };
                    };
                };
            };
        };
    };
    readonly "/me": {
        /** Get the caller and their workspaces */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** Choose the default workspace of this browser */
        readonly put: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly id: string;
                    };
                };
            };
            readonly responses: {
                /** @description No Content */
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
        /** List the caller's workspaces */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** Create a workspace, owned by the caller */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name: string;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
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
        /** List the members and invitations of a workspace */
        readonly get: {
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly members: readonly components["schemas"]["Member"][];
                            /** @description Visible to owners only */
                            readonly invitations: readonly components["schemas"]["Invitation"][];
                        };
                    };
                };
            };
        };
        /** Add a user to a workspace, or invite an email address; owners only */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly userId?: string;
                        /** Format: email */
                        readonly email?: string;
                        /**
                         * @description Viewers read, editors also write, owners also manage people, keys and agents
                         * @enum {string}
                         */
                        readonly role: "owner" | "editor" | "viewer";
                    };
                };
            };
            readonly responses: {
                /** @description Created */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly members: readonly components["schemas"]["Member"][];
                            /** @description Visible to owners only */
                            readonly invitations: readonly components["schemas"]["Invitation"][];
                        };
                    };
                };
            };
        };
    };
    readonly "/workspaces/{id}/members/{userId}": {
        /** Remove a member, or leave; their open streams end */
        readonly delete: {
            readonly responses: {
                /** @description No Content */
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
                         * @description Viewers read, editors also write, owners also manage people, keys and agents
                         * @enum {string}
                         */
                        readonly role: "owner" | "editor" | "viewer";
                    };
                };
            };
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly members: readonly components["schemas"]["Member"][];
                            /** @description Visible to owners only */
                            readonly invitations: readonly components["schemas"]["Invitation"][];
                        };
                    };
                };
            };
        };
    };
    readonly "/workspaces/{id}/invitations/{email}": {
        /** Revoke an invitation; owners only */
        readonly delete: {
            readonly responses: {
                /** @description No Content */
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
        /** List the valid links to all of the caller's sessions, or of a workspace, newest first */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** List the valid links to a session, newest first */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** Create a link that lets anybody read the session */
        readonly post: {
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /**
                         * Format: date-time
                         * @description By default the link never expires
                         */
                        readonly expiresAt?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Created */
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
        /** Revoke a link and disconnect its readers */
        readonly delete: {
            readonly responses: {
                /** @description No Content */
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
        /** Get the session of a share link */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** List the events of the shared session in order */
        readonly get: {
            readonly responses: {
                /** @description OK */
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
        /** Get the shared session as it was after an event */
        readonly get: {
            readonly responses: {
                /** @description OK */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly session: components["schemas"]["Session"];
                            readonly messages: readonly components["schemas"]["DomainMessage"][];
                            readonly runs: readonly {
                                readonly id: string;
                                readonly sessionId: string;
                                readonly agent: string;
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
                                /** @description The text so far, while it runs */
                                readonly text?: string;
                                readonly plan?: readonly unknown[];
                            }[];
                            readonly index: number;
                            /** @description The index of the last event now */
                            readonly last: number;
                        };
                    };
                };
            };
        };
    };
    readonly "/shared/stream": {
        /** Stream the events of the shared session; ends when the link does */
        readonly get: {
            readonly responses: {
                /** @description Server-sent events */
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
                /** @description In lists, for sessions without a title and for forks: the beginning of their first own user message */
                readonly opening?: string;
            };
            /** @enum {string} */
            readonly status: "active" | "archived" | "deleted";
            readonly restorableUntil?: string;
            /** @description Its forks; omitted in lists */
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
        /** @description Runs that people started */
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
            /** @description The text so far, while it runs */
            readonly text?: string;
            readonly plan?: readonly unknown[];
        };
        readonly SessionPage: {
            readonly sessions: readonly components["schemas"]["Session"][];
            readonly next: string | null;
            /** @description For `since`, to get what changes from now on */
            readonly cursor: string;
        };
        readonly SessionChanges: {
            readonly new: readonly components["schemas"]["Session"][];
            readonly updated: readonly components["schemas"]["Session"][];
            readonly deleted: readonly string[];
            readonly cursor: string;
            readonly more: boolean;
            /** @description The cursor is not valid here: reload the list, and continue from this cursor */
            readonly reset: boolean;
        };
        /** @description `thinking`: store what agents think; `fallbacks`: agents to use when the agent cannot be reached; `budget`: the limits of each run and its delegations; `allowedTools`: tools that need no approval, each of the agent that is named with it; without an agent it is ignored. All other members belong to the client. */
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
            /** @description There are more events: get them by `events_since` */
            readonly next?: number;
            /**
             * @description `events_since` was beyond the last event: these are all events
             * @enum {boolean}
             */
            readonly reset?: true;
            /** @description Where the event stream continues from here */
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
            /** @description Up to 20971520 bytes in total; a file that is named twice counts once */
            readonly files?: readonly string[];
            /** @description Chosen by the client; the same id again repeats the command */
            readonly id?: string;
            readonly agent?: string;
            readonly skill?: string;
            /** @description Store what the agent thinks; by default as the session is configured, which is off unless set */
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
            /** @description Up to 20971520 bytes in total; a file that is named twice counts once */
            readonly files?: readonly string[];
            /**
             * @description Each answers in its own fork
             * @default []
             */
            readonly agents: readonly string[];
            /**
             * @description Sessions, such as forks of this one, that get the message
             * @default []
             */
            readonly branches: readonly string[];
            /** @description Store what the agent thinks; by default as the session is configured, which is off unless set */
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
                /** @description The arguments that were approved instead */
                readonly arguments?: unknown;
                /**
                 * @description Approved automatically: the tool is in the session's `config.allowedTools`
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
            /** @description Added by the API, which can also remove it */
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
            /** @description How the platform calls it, while it is up */
            readonly negotiated?: {
                readonly binding: string;
                readonly dialect: string;
                readonly url: string;
                /** @enum {string} */
                readonly delivery: "stream" | "poll";
                /** @description It receives snapshots, budgets and approvals */
                readonly runExtension: boolean;
                readonly idempotencyKeys: boolean;
            };
            readonly statistics?: components["schemas"]["AgentStatistics"] & unknown;
            /** @description The security schemes of its card */
            readonly schemes?: readonly {
                readonly name: string;
                /** @enum {string} */
                readonly kind: "apiKey" | "bearer" | "basic" | "other";
            }[];
            /** @description The credentials themselves are never returned */
            readonly hasCredentials: boolean;
            readonly trouble?: string;
            readonly findings?: readonly string[];
        };
        readonly NewAgent: {
            /** Format: uri */
            readonly url: string;
            readonly name?: string;
            /** @description By name of the card's security schemes */
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
            /** @description Limits of one request; a session's `config.budget` can only lower them */
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
            /** @description The user that it acts for */
            readonly owner: string;
            readonly workspace: string;
            /** @enum {string} */
            readonly role: "owner" | "editor" | "viewer";
            /** @description The first characters of the key */
            readonly prefix: string;
            readonly createdAt: string;
            readonly expiresAt?: string;
            /** @description To within an hour */
            readonly lastUsedAt?: string;
        };
        readonly AuditEntry: {
            readonly index: number;
            readonly at: string;
            /** @description The actor's id */
            readonly owner: string;
            /** @description The actor's display name */
            readonly name: string;
            /** @example key.created */
            readonly action: string;
            readonly target: string;
            /** @description The client's IP address */
            readonly address?: string;
            readonly details?: {
                readonly [key: string]: string;
            };
        };
        readonly DeadLetter: {
            readonly taskId: string;
            /** @description The push notification config of the task */
            readonly webhookId: string;
            /** @description The index of the task's event */
            readonly index: number;
            /** @description Scheme, host and port */
            readonly receiver: string;
            readonly tries: number;
            /** @description The error of the last try */
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
            /** @description Valid values of X-Workspace */
            readonly workspaces: readonly components["schemas"]["Workspace"][];
            /** @description Whether the caller signed in in the browser, and can sign out */
            readonly isLogin: boolean;
        };
        /** @description A workspace and the caller's role in it */
        readonly Workspace: {
            readonly id: string;
            readonly name: string;
            /**
             * @description Viewers read, editors also write, owners also manage people, keys and agents
             * @enum {string}
             */
            readonly role: "owner" | "editor" | "viewer";
        };
        readonly Member: {
            readonly userId: string;
            readonly name: string;
            readonly email?: string;
            /**
             * @description Viewers read, editors also write, owners also manage people, keys and agents
             * @enum {string}
             */
            readonly role: "owner" | "editor" | "viewer";
            /**
             * @description Listed in PARLEY_OPERATORS, so the role cannot be changed here
             * @enum {boolean}
             */
            readonly isSet?: true;
        };
        /** @description Whoever signs in with this address becomes a member */
        readonly Invitation: {
            readonly email: string;
            /**
             * @description Viewers read, editors also write, owners also manage people, keys and agents
             * @enum {string}
             */
            readonly role: "owner" | "editor" | "viewer";
            readonly by: string;
        };
        /** @description A link to a session of the caller, or of a workspace that they manage */
        readonly OwnShare: components["schemas"]["Share"] & {
            readonly sessionId: string;
            /** @description The user whose session it is */
            readonly owner: string;
            /** @description Empty where the session is not the caller's */
            readonly title: string;
        };
        /** @description A link that lets anybody read the session */
        readonly Share: {
            readonly id: string;
            /** Format: date-time */
            readonly createdAt: string;
            /** Format: date-time */
            readonly expiresAt?: string;
        };
        /** @description A link that lets anybody read the session */
        readonly MadeShare: components["schemas"]["Share"] & {
            /** @description Shown only once: send it to /shared as X-Share-Token, or open /s/shared#TOKEN */
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
