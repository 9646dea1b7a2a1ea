import { isObject } from "@parley/a2a";
import { beside, type Finding, right, wrong } from "../check.ts";
import type { Examination } from "../examination.ts";
import { endedTask, message } from "../probes/talk.ts";
import { type Answer, ask, readAnswer, told, type Way, wireRequest } from "../probes/way.ts";
import { mainWays, unknownTask } from "../probes/ways.ts";
import { checksOf, type UnlistedCheck, wayCheck } from "./define.ts";

const DEEP = 20_000;
const MANY = 8;
const CALLERS_MISTAKES = ["ParseError", "InvalidRequest", "InvalidParams", "TaskNotFound"];

/** What a hostile or merely large request does. */
export const robustnessChecks = checksOf("Robustness", [
  wayCheck(
    {
      id: "deep-json",
      title: `JSON of ${DEEP.toLocaleString("en")} levels is refused as the caller's mistake`,
      clause: "A2A 1.0 §3.3.2; protocol.md, defect “20,000-deep JSON”",
      severity: "should",
      meaning: "The agent overflows its stack, and calls it an internal error of its own.",
      remedy: "Bound the depth of a body before it is parsed.",
    },
    async (examination, way) => {
      if (way.endpoint.binding !== "JSONRPC") return undefined;
      const deep = `${"[".repeat(DEEP)}${"]".repeat(DEEP)}`;
      // To a task that does not exist, so that nobody acts on it; v0.1 would make one.
      const isFirst = way.endpoint.dialect === "0.1";
      const request = message(examination, way, { taskId: unknownTask(), parts: [{ data: "@" }] });
      const spoil = (body: Record<string, unknown>) =>
        isFirst ? deep : JSON.stringify(body).replace('"@"', deep);
      const answer = await ask(examination, way, { operation: "send", request, spoil });
      return stillThere(examination, way, { answer, what: "JSON that is 20,000 levels deep" });
    },
    mainWays,
  ),
  bodyCheck("large-body", 200_000, "A body of 200 kB is read", "protocol.md, defect “a body over 100 KB”"),
  bodyCheck(
    "huge-body",
    2_000_000,
    "A body of 2 MB is read, or refused in JSON",
    "A2A 1.0 §3.3.2; protocol.md",
  ),
  wayCheck(
    {
      id: "concurrent",
      title: `${MANY} requests at the same time get ${MANY} answers, each its own`,
      clause: "JSON-RPC 2.0 §5",
      severity: "must",
      meaning: "Callers at the same time get each other's answers, or none.",
      remedy: "Keep nothing of a request in what requests share.",
    },
    async (examination, way) => {
      const known = await endedTask(examination, way);
      const asked = Array.from({ length: MANY }, (_, place) =>
        place % 2 === 0 && known ? known : unknownTask(),
      );
      const answers = await Promise.all(
        asked.map((id) => ask(examination, way, { operation: "get", request: { id } })),
      );
      for (const [place, answer] of answers.entries()) {
        const id = asked[place];
        const isOwn = id === known ? answer.value?.id === id : answer.error?.kind === "TaskNotFound";
        if (!isOwn)
          return wrong(`One of ${MANY} is answered with ${told(answer)}`, [answer.exchange.evidence]);
      }
      return right(`${MANY} answers`);
    },
    mainWays,
  ),
]);

/** A question after a task that does not exist, with so many bytes beside it: nothing is done, whatever comes of it. */
function bodyCheck(id: string, bytes: number, title: string, clause: string): UnlistedCheck {
  const meaning =
    "A long message, or a file in it, is refused by something before the agent, in a form that clients do not read.";
  const remedy = "Raise the limit of the web framework's body parser, and answer its refusal in JSON.";
  return wayCheck(
    { id, title, clause, severity: "should", meaning, remedy },
    async (examination, way) => {
      if (way.endpoint.binding !== "JSONRPC") return undefined;
      const spoil = (body: Record<string, unknown>) => ({
        ...body,
        params: { id: unknownTask(), metadata: { filling: "x".repeat(bytes) } },
      });
      const request = wireRequest(way, { operation: "get", request: { id: unknownTask() }, spoil });
      const exchange = await examination.wire.ask(request);
      const answer = readAnswer(way, "get", exchange);
      const { status, json } = exchange;
      const isRefusedInJson = status === 413 && isObject(json) && json.error !== undefined;
      if (isRefusedInJson)
        return id === "huge-body" ? right("HTTP 413 in JSON") : wrong("HTTP 413", [exchange.evidence]);
      return stillThere(examination, way, { answer, what: `A body of ${bytes / 1_000} kB` });
    },
    mainWays,
  );
}

/** An answer in JSON that does not blame the agent, and an agent that answers the next request too. */
async function stillThere(
  examination: Examination,
  way: Way,
  { answer, what }: { readonly answer: Answer<unknown>; readonly what: string },
): Promise<Finding> {
  const next = await ask(examination, way, { operation: "get", request: { id: unknownTask() } });
  if (next.problem !== undefined)
    return wrong(
      `After ${what} it does not answer: ${next.problem}`,
      [answer.exchange.evidence, next.exchange.evidence],
      "must",
    );
  if (answer.error && CALLERS_MISTAKES.includes(answer.error.kind)) return right(told(answer));
  if (answer.value !== undefined) return beside("It answered with a task");
  return wrong(`${what} is answered with ${told(answer)}`, [answer.exchange.evidence]);
}
