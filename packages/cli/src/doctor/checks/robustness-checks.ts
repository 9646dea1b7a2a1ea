import { isObject } from "@parley/a2a";
import { checksOf, type Finding, fail, interfaceCheck, pass, skip, type UnlistedCheck } from "../check.ts";
import { endedTaskId, testMessage } from "../probes/conversation.ts";
import { type Answer, answerText, type InterfaceProbe } from "../probes/interface-probe.ts";
import { unknownTaskId } from "../probes/interfaces.ts";

const DEPTH = 20_000;
const PARALLEL = 8;
const CLIENT_ERRORS = ["ParseError", "InvalidRequest", "InvalidParams", "TaskNotFound"];

/** Checks of what hostile or large requests do. */
export const robustnessChecks = checksOf("Robustness", [
  interfaceCheck(
    {
      id: "deep-json",
      title: `JSON with ${DEPTH.toLocaleString("en")} levels is rejected as a client error`,
      clause: "A2A 1.0 §3.3.2; protocol.md, defect “20,000-deep JSON”",
      severity: "should",
      meaning: "The agent overflows its stack, and reports an internal error.",
      remedy: "Limit the depth of a body before it is parsed.",
      appliesTo: ({ isJsonRpc }) => isJsonRpc,
      oncePerVersion: true,
    },
    async (probe) => {
      const deep = `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`;
      // The task does not exist, so that the agent does not act on it; v0.1 would create it.
      const request = testMessage(probe, { taskId: unknownTaskId(), parts: [{ data: "@" }] });
      const tamper = (body: Record<string, unknown>) =>
        probe.dialect === "0.1" ? deep : JSON.stringify(body).replace('"@"', deep);
      const answer = await probe.ask("send", request, { tamper });
      return stillAnswers(probe, answer, "JSON with 20,000 levels");
    },
  ),
  bodyCheck("large-body", 200_000, "A body of 200 kB is read", "protocol.md, defect “a body over 100 KB”"),
  bodyCheck(
    "huge-body",
    2_000_000,
    "A body of 2 MB is read, or rejected in JSON",
    "A2A 1.0 §3.3.2; protocol.md",
  ),
  interfaceCheck(
    {
      id: "concurrent",
      title: `${PARALLEL} parallel requests get their own answers`,
      clause: "JSON-RPC 2.0 §5",
      severity: "must",
      meaning: "Parallel callers get each other's answers, or none.",
      remedy: "Keep no state of a request where other requests can see it.",
      oncePerVersion: true,
    },
    async (probe) => {
      const known = await endedTaskId(probe);
      const ids = Array.from({ length: PARALLEL }, (_, at) => (at % 2 === 0 && known) || unknownTaskId());
      const answers = await Promise.all(ids.map((id) => probe.ask("get", { id })));
      for (const [at, answer] of answers.entries()) {
        const isOwn = ids[at] === known ? answer.value?.id === known : answer.error?.kind === "TaskNotFound";
        if (!isOwn)
          return fail(`One of ${PARALLEL} is answered with ${answerText(answer)}`, [
            answer.exchange.evidence,
          ]);
      }
      return pass(`${PARALLEL} answers`);
    },
  ),
]);

/** Requests a task that does not exist, with so many bytes beside it, so that the agent does no work. */
function bodyCheck(id: string, bytes: number, title: string, clause: string): UnlistedCheck {
  return interfaceCheck(
    {
      id,
      title,
      clause,
      severity: "should",
      meaning:
        "A long message, or a file in it, is rejected in front of the agent, in a form that clients cannot read.",
      remedy: "Raise the body limit of the web framework, and answer its rejection in JSON.",
      appliesTo: ({ isJsonRpc }) => isJsonRpc,
      oncePerVersion: true,
    },
    async (probe) => {
      const tamper = (body: Record<string, unknown>) => ({
        ...body,
        params: { id: unknownTaskId(), metadata: { filling: "x".repeat(bytes) } },
      });
      const answer = await probe.ask("get", { id: unknownTaskId() }, { tamper });
      const { status, json, evidence } = answer.exchange;
      if (status === 413 && isObject(json) && json.error !== undefined)
        return id === "huge-body" ? pass("HTTP 413 in JSON") : fail("HTTP 413", [evidence]);
      return stillAnswers(probe, answer, `A body of ${bytes / 1_000} kB`);
    },
  );
}

/** Passes where the request was rejected as a client error, and the next one is answered too. */
async function stillAnswers(probe: InterfaceProbe, answer: Answer<unknown>, what: string): Promise<Finding> {
  const { evidence } = answer.exchange;
  const next = await probe.ask("get", { id: unknownTaskId() });
  if (next.problem !== undefined)
    return fail(`No answer after ${what}: ${next.problem}`, [evidence, next.exchange.evidence], "must");
  if (answer.error && CLIENT_ERRORS.includes(answer.error.kind)) return pass(answerText(answer));
  if (answer.value !== undefined) return skip("Answered with a task");
  return fail(`${what} is answered with ${answerText(answer)}`, [evidence]);
}
