import type { ExecutionContext, Executor } from "../tasks/executor.ts";
import { Trace, type Tracing } from "../tracing/trace.ts";

/** Wraps each turn of work on a task in a span below the caller's. */
export function tracedExecutor(executor: Executor, agent: string, tracing: Tracing): Executor {
  const { resumes = false, delegates = false, reply } = executor;
  return {
    resumes,
    delegates,
    ...(reply && { reply: (message) => reply.call(executor, message) }),
    async execute(context: ExecutionContext) {
      const { taskId, contextId, resumed } = context;
      const attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent,
        "gen_ai.conversation.id": contextId,
        "parley.task.id": taskId,
        "parley.resumed": resumed,
      };
      const trace = Trace.from(context.trace?.traceparent, tracing);
      return trace.within(`invoke_agent ${agent}`, { attributes }, async (span) => {
        const ending = await executor.execute({ ...context, trace: span });
        const state = ending?.state ?? "completed";
        span.set({ "parley.task.state": state });
        if (state === "failed") span.fail(state);
        return ending;
      });
    },
  };
}
