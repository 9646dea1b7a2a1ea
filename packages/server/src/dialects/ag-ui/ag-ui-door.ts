import { PROBLEMS, type Problem, problemAnswer } from "../../api/problem.ts";
import type { Door } from "../door.ts";
import { agUiRoutes } from "./ag-ui-routes.ts";

/**
 * AG-UI 1.0. Before a stream has begun its clients read the status and a JSON body, which they take for an error's
 * payload; a stream that has begun ends with `RUN_ERROR`, of the same code and message.
 */
export const agUiDoor: Door = {
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
