import type { AgentCapabilities } from "@ag-ui/core";
import type { Run } from "@parley/sessions";
import { type Context, Hono } from "hono";
import type { AdapterEnvironment, AdapterHost, AskableAgent } from "../adapter-host.ts";
import { cancelsOnDisconnect } from "../disconnect.ts";
import { jsonOf } from "../json-body.ts";
import { PROBLEMS, Problem, problemAnswer } from "../problem.ts";
import type { ProtocolAdapter } from "../protocol-adapter.ts";
import { checkCanStream, streamRun } from "../run-stream.ts";
import { historyFor } from "./client-history.ts";
import { AgUiEncoder, type EncodedThread } from "./encoding/ag-ui-encoder.ts";
import { threadMessages } from "./parsing/parse-run-input.ts";
import { type CheckedInput, checkedInput } from "./parsing/run-agent-input.ts";
import { ThreadResolver, type ThreadRun } from "./thread-resolver.ts";

/** `POST /agui` for the supervisor, `POST /agui/{agent}` for one agent; `GET` returns their capabilities. */
function agUiRoutes(host: AdapterHost): Hono<AdapterEnvironment> {
  const routes = new Hono<AdapterEnvironment>();

  const describe = async (context: Context<AdapterEnvironment>, name?: string) => {
    const agents = await host.agents.list(context.var.principal);
    if (name !== undefined && !agents.some((agent) => agent.name === name))
      throw new Problem("not_found", `There is no agent ${name}`);
    return context.json(capabilitiesOf(agents, { name, version: host.version }));
  };
  routes.get("/agui", (context) => describe(context));
  routes.get("/agui/:agent", (context) => describe(context, context.req.param("agent")));

  const run = async (context: Context<AdapterEnvironment>, agent?: string) => {
    const { principal } = context.var;
    cancelsOnDisconnect(context);
    checkCanStream(host, principal);
    const checked = checkedInput(await jsonOf(context));
    const taken = await new ThreadResolver(host, principal, checked, agent).resolve();
    const unused = [...checked.unused, ...(isAllKnown(checked, taken) ? [] : ["messages"])];
    const headers = {
      ...(taken && { "X-Session-Id": taken.state.id }),
      ...(unused.length > 0 && { "X-Parley-Unused": unused.join(", ") }),
    };
    if (!taken?.followed) {
      const encoder = new AgUiEncoder(encodedThread(checked, taken));
      const type = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };
      return context.body(encoder.begin() + encoder.end("ended"), 200, { ...type, ...headers });
    }
    const { approvals } = await host.sessions.state(principal, taken.state.id);
    const answered = new Set([...approvals.values()].flatMap(({ id, answer }) => (answer ? [id] : [])));
    const encoder = new AgUiEncoder({ ...encodedThread(checked, taken), answered }, taken.earlier);
    return streamRun(host, context, taken.followed, encoder, headers);
  };
  routes.post("/agui", (context) => run(context));
  routes.post("/agui/:agent", (context) => run(context, context.req.param("agent")));

  return routes;
}

function encodedThread({ input, isEarlier }: CheckedInput, taken: ThreadRun | undefined): EncodedThread {
  const { threadId, runId, messages, state } = input;
  const run = taken?.run?.id;
  const { runs = new Map<string, Run>(), messages: all = [] } = taken?.state ?? {};
  const recorded = { runs, messages: all.filter(({ id }) => id !== `${run}-answer`) };
  const last = [...runs.values()].at(-1);
  return {
    ...{ threadId, runId, sessionId: taken?.state.id, run, state, isEarlier },
    ...(run === undefined && { plan: last?.plan }),
    ...{ forkOf: taken?.state.parent?.sessionId, has: messages },
    history: historyFor(messages, recorded, { runId: run, isEarlier }),
  };
}

/** Whether the session has every user message of the client's history. */
function isAllKnown({ input }: CheckedInput, taken: ThreadRun | undefined): boolean {
  const known = new Set(taken?.state.messages.map(({ content }) => content));
  return threadMessages(input.messages).every(
    ({ role, content }) => role === "assistant" || known.has(content),
  );
}

/**
 * AG-UI 1.0. Before a stream has begun its clients read the status and a JSON body, which they take for an error's
 * payload; a stream that has begun ends with `RUN_ERROR`, of the same code and message.
 */
export const agUiAdapter: ProtocolAdapter = {
  paths: /^\/agui(\/|$)/,
  bodyBytes: 16 * 1_048_576,
  routes: agUiRoutes,
  refusal(problem: Problem) {
    const { status, headers } = problemAnswer(problem);
    const { code, message, errors } = problem;
    const [, title] = PROBLEMS[code];
    const body = JSON.stringify({ type: "RUN_ERROR", message, code, title, ...(errors && { errors }) });
    return { status, headers: { ...headers, "Content-Type": "application/json" }, body };
  },
};

/** What a client may expect of an agent; without a name, of the supervisor. */
function capabilitiesOf(
  agents: readonly AskableAgent[],
  { name, version }: { readonly name?: string | undefined; readonly version: string },
): AgentCapabilities {
  const agent = agents.find((one) => one.name === name);
  const subagents = agents.filter(({ state }) => state === "up");
  return {
    identity: {
      ...{ name: name ?? "supervisor", type: "parley", provider: "Parley", version },
      ...(agent?.description !== undefined && { description: agent.description }),
    },
    transport: { streaming: true, websocket: false, httpBinary: false, resumable: true },
    tools: { supported: true, parallelCalls: true, clientProvided: false },
    state: { snapshots: true, deltas: true, persistentState: false },
    multiAgent: {
      ...{ supported: true, delegation: true, handoffs: false },
      ...(name === undefined && {
        subagents: subagents.map((one) => ({
          name: one.name,
          ...(one.description !== undefined && { description: one.description }),
        })),
      }),
    },
    reasoning: { supported: true, streaming: true, encrypted: false },
    multimodal: { input: { image: true, audio: true, video: true, pdf: true, file: true } },
    humanInTheLoop: { supported: true, approvals: true, interrupts: true, approveWithEdits: true },
  };
}
