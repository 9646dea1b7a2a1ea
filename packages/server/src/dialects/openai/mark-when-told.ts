import type { Context } from "hono";
import type { Api, ApiEnvironment } from "../../api/api-options.ts";
import type { ToldAnswers } from "./asking/told-answers.ts";
import type { PartOfRun } from "./telling/part-of-run.ts";

/** Notes that a client has a part of a run to its end, once its answer has left whole. */
export function markWhenTold(
  { api, answers }: { readonly api: Api; readonly answers: ToldAnswers },
  context: Context<ApiEnvironment>,
  told: () => PartOfRun | undefined,
): void {
  const { principal } = context.var;
  context.env.outgoing.once("finish", () => {
    const part = told();
    if (!part) return;
    answers
      .tell(principal, part.state.id, part.run.id, part.part)
      // Without the mark the same request is told the same again, which is no harm.
      .catch((error: unknown) => api.log.warn({ err: error }, "told answer not marked"));
  });
}
