import { z } from "zod";

/** The expected result of another user's request. */
type Expected =
  /** It names a thing of one user: to others it is as if it were not there. */
  | "nothing there"
  /** It names a session that may be made by naming it: to others it is another one. */
  | "taken"
  /** It is the same for everybody. */
  | "shared";

/** What a test sends to an adapter, and what it answers. Names in braces are those of `MatrixPeople`. */
export interface AdapterRow {
  readonly route: string;
  readonly expected: Expected;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What a viewer gets. */
  readonly viewer: number;
  /** The viewer's expected status, where the protocol has its own status for failures. */
  readonly viewerHears?: string;
  /** The status for others as for a missing resource; undefined if the protocol does not treat that as an error. */
  readonly missing?: number;
}

/** One protocol's refusals and routes. */
export interface AdapterRows {
  readonly type: string;
  readonly refusal: z.ZodType;
  readonly rows: readonly AdapterRow[];
}

const CHAT = { role: "user", content: "Hello" };
const UI_USER = { id: "a-message-of-mine", role: "user", parts: [{ type: "text", text: "Hello" }] };
const UI_ANSWERED = {
  ...{ id: "{runId}-answer", role: "assistant", metadata: { session: "{id}" } },
  parts: [
    {
      ...{ type: "dynamic-tool", toolName: "t", toolCallId: "c", state: "approval-responded", input: {} },
      approval: { id: "{approvalId}", approved: true },
    },
  ],
};
const AGUI_MESSAGE = { id: "a-message-of-mine-2", role: "user", content: "Hello" };
const agUi = (more: object) => ({ threadId: "{id}", runId: "mine", messages: [], ...more });
const MCP = { Accept: "application/json, text/event-stream" };
const MCP_STREAM = { Accept: "text/event-stream", "MCP-Protocol-Version": "2025-11-25" };
const mcp = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
const ask = (more: object) =>
  mcp("tools/call", { name: "ask_helper", arguments: { message: "Hello", ...more } });

/** Every adapter, and each of its routes (S4.2, invariant 20). */
export const ADAPTER_ROWS: Readonly<Record<string, AdapterRows>> = {
  OpenAI: {
    type: "application/json",
    refusal: z.strictObject({
      error: z.strictObject({
        ...{ message: z.string(), type: z.string() },
        ...{ param: z.string().nullable(), code: z.string().nullable() },
      }),
    }),
    rows: [
      { route: "GET /v1/models", expected: "shared", viewer: 200 },
      { route: "GET /v1/models/helper", expected: "shared", viewer: 200 },
      {
        ...{ route: "POST /v1/chat/completions", expected: "taken", viewer: 403 },
        ...{ headers: { "X-Session-Id": "{id}" }, body: { model: "helper", messages: [CHAT] } },
      },
      {
        ...{ route: "POST /v1/responses", expected: "taken", viewer: 403 },
        ...{ headers: { "X-Session-Id": "{id}" }, body: { model: "helper", input: "Hello" } },
      },
      {
        ...{ route: "POST /v1/responses", expected: "nothing there", viewer: 403 },
        body: { model: "helper", input: "Hello", previous_response_id: "resp_{runId}" },
      },
      {
        ...{ route: "POST /v1/responses", expected: "nothing there", viewer: 403 },
        body: { model: "helper", input: "Hello", conversation: "{id}" },
      },
      { route: "GET /v1/responses/resp_{runId}", expected: "nothing there", viewer: 200 },
      { route: "GET /v1/responses/resp_{runId}?stream=true", expected: "nothing there", viewer: 200 },
      { route: "POST /v1/responses/resp_{runId}/cancel", expected: "nothing there", viewer: 403, body: {} },
      { route: "DELETE /v1/responses/resp_{runId}", expected: "nothing there", viewer: 403 },
    ],
  },
  "AG-UI": {
    type: "application/json",
    refusal: z.looseObject({ type: z.literal("RUN_ERROR"), message: z.string(), code: z.string() }),
    rows: [
      { route: "GET /agui", expected: "shared", viewer: 200 },
      { route: "GET /agui/helper", expected: "shared", viewer: 200 },
      { route: "POST /agui", expected: "nothing there", viewer: 403, missing: 200, body: agUi({}) },
      {
        route: "POST /agui/helper",
        expected: "taken",
        viewer: 403,
        body: agUi({ messages: [AGUI_MESSAGE] }),
      },
    ],
  },
  MCP: {
    type: "application/json",
    refusal: z.strictObject({
      ...{ jsonrpc: z.literal("2.0"), id: z.union([z.null(), z.string(), z.number()]) },
      error: z.looseObject({ code: z.int(), message: z.string() }),
    }),
    rows: [
      { route: "GET /mcp", expected: "shared", viewer: 200, headers: MCP_STREAM },
      { route: "POST /mcp", expected: "shared", viewer: 200, headers: MCP, body: mcp("tools/list", {}) },
      {
        ...{ route: "POST /mcp", expected: "nothing there", viewer: 200, missing: 200, headers: MCP },
        body: mcp("resources/read", { uri: "parley://sessions/{id}" }),
      },
      {
        ...{ route: "POST /mcp", expected: "nothing there", viewer: 200, missing: 200, headers: MCP },
        ...{ viewerHears: '"isError":true', body: ask({ session: "{id}" }) },
      },
    ],
  },
  "AI SDK": {
    type: "text/plain; charset=utf-8",
    refusal: z.string().min(1),
    rows: [
      { route: "POST /ai", expected: "taken", viewer: 403, body: { id: "{id}", messages: [UI_USER] } },
      { route: "POST /ai/helper", expected: "taken", viewer: 403, body: { id: "{id}", messages: [UI_USER] } },
      { route: "POST /ai", expected: "taken", viewer: 403, body: { id: "{id}", message: UI_USER } },
      {
        ...{ route: "POST /ai", expected: "nothing there", viewer: 403 },
        body: { id: "{id}", messages: [UI_ANSWERED] },
      },
      { route: "GET /ai/{id}/stream", expected: "nothing there", viewer: 200, missing: 204 },
      { route: "GET /ai/helper/{id}/stream", expected: "nothing there", viewer: 200, missing: 204 },
      { route: "DELETE /ai/{id}/stream", expected: "nothing there", viewer: 403, missing: 204 },
    ],
  },
};
