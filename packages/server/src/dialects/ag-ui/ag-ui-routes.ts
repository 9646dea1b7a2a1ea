import type { Run } from "@parley/sessions";
import { type Context, Hono } from "hono";
import type { Api, ApiEnvironment } from "../../api/api-options.ts";
import { Problem } from "../../api/problem.ts";
import { cancelsOnDisconnect } from "../disconnect.ts";
import { checkStreamable, streamRun } from "../run-stream.ts";
import { AgUiTeller, type Told } from "./ag-ui-teller.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { historyFor } from "./client-history.ts";
import { saidIn } from "./client-messages.ts";
import { type CheckedInput, checkedInput } from "./run-agent-input.ts";
import { type ThreadRun, ThreadRuns } from "./thread-runs.ts";

/** `POST /agui` for the supervisor, `POST /agui/{agent}` for one agent; `GET` tells what they can do. */
export function agUiRoutes(api: Api): Hono<ApiEnvironment> {
  const threads = new ThreadRuns(api);
  const routes = new Hono<ApiEnvironment>();

  const describe = async (context: Context<ApiEnvironment>, name?: string) => {
    const agents = await api.agents.list(context.var.principal);
    if (name !== undefined && !agents.some((agent) => agent.name === name))
      throw new Problem("not_found", `There is no agent ${name}`);
    return context.json(capabilitiesOf(agents, { name, version: api.version }));
  };
  routes.get("/agui", (context) => describe(context));
  routes.get("/agui/:agent", (context) => describe(context, context.req.param("agent")));

  const run = async (context: Context<ApiEnvironment>, agent?: string) => {
    const { principal } = context.var;
    cancelsOnDisconnect(context);
    checkStreamable(api, principal);
    const checked = checkedInput(await bodyOf(context));
    const taken = await threads.take(principal, checked, agent);
    const unused = [...checked.unused, ...(isAllKnown(checked, taken) ? [] : ["messages"])];
    const headers = {
      ...(taken && { "X-Session-Id": taken.state.id }),
      ...(unused.length > 0 && { "X-Parley-Unused": unused.join(", ") }),
    };
    if (!taken?.followed) {
      const teller = new AgUiTeller(toldOf(checked, taken));
      const type = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };
      return context.body(teller.begin() + teller.end("ended"), 200, { ...type, ...headers });
    }
    const { approvals } = await api.sessions.state(principal, taken.state.id);
    const answered = new Set([...approvals.values()].flatMap(({ id, answer }) => (answer ? [id] : [])));
    const teller = new AgUiTeller({ ...toldOf(checked, taken), answered }, taken.earlier);
    return streamRun(api, context, taken.followed, teller, headers);
  };
  routes.post("/agui", (context) => run(context));
  routes.post("/agui/:agent", (context) => run(context, context.req.param("agent")));

  return routes;
}

function toldOf({ input, isEarlier }: CheckedInput, taken: ThreadRun | undefined): Told {
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

/** Whether the session has all that the client says a person has said. */
function isAllKnown({ input }: CheckedInput, taken: ThreadRun | undefined): boolean {
  const known = new Set(taken?.state.messages.map(({ content }) => content));
  return saidIn(input.messages).every(({ role, text }) => role === "assistant" || known.has(text));
}

async function bodyOf({ req }: Context<ApiEnvironment>): Promise<unknown> {
  try {
    return await req.json();
  } catch {
    throw new Problem("malformed_request", "The body is not JSON");
  }
}
