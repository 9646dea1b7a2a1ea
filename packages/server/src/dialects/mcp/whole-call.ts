import type { Context } from "hono";
import type { Api, ApiEnvironment } from "../../api/api-options.ts";
import type { FollowedRun } from "../followed-run.ts";
import { waitForAnswer } from "../whole-answer.ts";
import type { CallTeller } from "./call-teller.ts";

/** Answers a call with its result alone, for clients that take no event stream. */
export async function wholeCall(
  api: Api,
  context: Context<ApiEnvironment>,
  run: FollowedRun,
  teller: CallTeller,
): Promise<Response> {
  const left = await waitForAnswer(api, context, {
    begin: async () => run,
    event: (recorded) => void teller.event(recorded),
  });
  const [, result = ""] = /^data: (.*)$/m.exec(teller.end(left)) ?? [];
  return context.body(result, 200, { "Content-Type": "application/json" });
}
