import { isObject } from "@parley/a2a";
import { isSettledState } from "@parley/a2a/checks";
import { beside, right, wrong } from "../check.ts";
import { claims } from "../probes/cards.ts";
import { isStream } from "../probes/seen-stream.ts";
import { endedTask, recordTalk, sent, stateOf, streamed, taskIn, textsOf } from "../probes/talk.ts";
import { ask, has, isGrpc, told } from "../probes/way.ts";
import { handedOver } from "../probes/work.ts";
import { checksOf, wayCheck } from "./define.ts";

/** Each operation, as it is meant to go. */
export const operationChecks = checksOf("Operations", [
  wayCheck(
    {
      id: "send",
      title: "A message is answered with a task or a message",
      clause: "A2A 1.0 §3.1.1; 0.3 §7.1; 0.1 tasks/send",
      severity: "must",
      meaning: "The agent cannot be asked, or its answer is not what the version says.",
      remedy: "Answer with a Task or a Message in the form of the version.",
    },
    async (examination, way) => {
      const answer = await sent(examination, way);
      const { evidence, milliseconds } = answer.exchange;
      if (answer.value === undefined) return wrong(told(answer), [evidence]);
      const task = taskIn(answer);
      return right(
        `${task ? `A task, ${stateOf(task)}` : "A message"}, after ${Math.round(milliseconds)} ms`,
        [evidence],
      );
    },
  ),
  wayCheck(
    {
      id: "send-waits",
      title: "Sending waits until the task has ended or asks, and returns its artifacts",
      clause: "A2A 1.0 §3.2.2; protocol.md, row “waiting”",
      severity: "must",
      meaning: "A client that waits takes a task for finished that is not, and misses the answer.",
      remedy:
        "Return only at a terminal or interrupted state unless returnImmediately (0.3: blocking false) is set.",
    },
    async (examination, way) => {
      if (way.endpoint.dialect === "0.1") return undefined;
      const answer = await sent(examination, way);
      const task = taskIn(answer);
      if (!task) return beside("It made no task");
      const { evidence } = answer.exchange;
      const severity = way.endpoint.dialect === "1.0" ? "must" : "should";
      if (!isSettledState(stateOf(task)))
        return wrong(`It answered while the task was ${stateOf(task)}`, [evidence], severity);
      const kept = (await recordTalk(examination, way, task.id)).value;
      if (kept && textsOf(kept).join("") !== textsOf(task).join(""))
        return wrong("The answer has other artifacts than the task afterwards", [evidence], severity);
      return right(`It answered when the task was ${stateOf(task)}`);
    },
  ),
  wayCheck(
    {
      id: "send-immediate",
      title: "Who does not want to wait gets the task at once, and it goes on to its end",
      clause: "A2A 1.0 §3.2.2 (0.3: blocking false)",
      severity: "should",
      meaning: "A caller is made to wait who asked not to, or the task stops when nobody waits for it.",
      remedy: "Answer with the task as soon as it is made when returnImmediately is set, and work on.",
    },
    async (examination, way) => {
      if (way.endpoint.dialect === "0.1") return undefined;
      const { sent: first, kept } = await handedOver(examination, way);
      if (!first.value) return wrong(told(first), [first.exchange.evidence]);
      const task = taskIn(first);
      if (!task || !kept) return beside("It made no task");
      if (!kept.value) return wrong(told(kept), [kept.exchange.evidence]);
      const state = stateOf(kept.value);
      if (!isSettledState(state))
        return wrong(`The task is still ${state}`, [first.exchange.evidence, kept.exchange.evidence]);
      return right(
        `${stateOf(task)} after ${Math.round(first.exchange.milliseconds)} ms, ${state} in the end`,
      );
    },
  ),
  wayCheck(
    {
      id: "stream",
      title: "A message is answered with a stream, if the card claims streaming",
      clause: "A2A 1.0 §3.1.2, §3.3.4; 0.3 §7.2; 0.1 tasks/sendSubscribe",
      severity: "must",
      meaning: "The card claims streaming, and a client that relies on it gets no stream.",
      remedy: "Answer with text/event-stream, or take streaming out of the card.",
    },
    async (examination, way) => {
      if (!(await claims(examination)).streaming) return beside("The card does not claim streaming");
      const { wire, report, frames, firstEvent } = await streamed(examination, way);
      if (wire.failure !== undefined && frames.length === 0) return wrong(wire.failure, [wire.evidence]);
      if (!isStream(wire))
        return wrong(
          `It answers HTTP ${wire.status} with ${wire.contentType || "no type"}${errorIn(wire.json)}`,
          [wire.evidence],
        );
      if (frames.length === 0) return wrong("The stream has no event", [wire.evidence]);
      return right(`${report.events} events, the first after ${Math.round(firstEvent ?? 0)} ms`, [
        wire.evidence,
      ]);
    },
  ),
  wayCheck(
    {
      id: "get",
      title: "A task can be asked for, and is what the stream told",
      clause: "A2A 1.0 §3.1.3; 0.3 §7.3",
      severity: "must",
      meaning: "Who comes back for the answer gets another one than who watched, or none.",
      remedy: "Keep the task, with its state and artifacts, as it was streamed.",
    },
    async (examination, way) => {
      const id = await endedTask(examination, way);
      if (id === undefined) return beside("It made no task that has ended");
      const answer = await recordTalk(examination, way, id);
      const { evidence } = answer.exchange;
      if (!answer.value) return wrong(told(answer), [evidence]);
      if (answer.value.id !== id)
        return wrong(`Asked for ${id}, it answers with ${answer.value.id}`, [evidence]);
      if (!(await claims(examination)).streaming) return right(stateOf(answer.value));
      const { report } = await streamed(examination, way);
      if (report.taskId !== id || report.overflowed) return right(stateOf(answer.value));
      const state = report.states.at(-1);
      if (state !== stateOf(answer.value))
        return wrong(`The stream ended with ${state}, the task is ${stateOf(answer.value)}`, [evidence]);
      const [streamedText, keptText] = [Object.values(report.texts).join(""), textsOf(answer.value).join("")];
      if (streamedText === keptText)
        return right(`${state}, ${keptText.length} characters, as it was streamed`);
      return wrong(`The stream told ${streamedText.length} characters, the task has ${keptText.length}`, [
        evidence,
      ]);
    },
  ),
  wayCheck(
    {
      id: "get-history",
      title: "historyLength 0 returns no history",
      clause: "A2A 1.0 §3.2.4; protocol.md, “What implementers get wrong”",
      severity: "should",
      meaning: "Who asks for no history gets one all the same, however long it is.",
      remedy: "0 is none, N is the N newest, unset is your choice.",
    },
    async (examination, way) => {
      if (way.endpoint.dialect !== "1.0") return undefined;
      const id = await endedTask(examination, way);
      if (id === undefined) return beside("It made no task that has ended");
      const answer = await ask(examination, way, { operation: "get", request: { id, historyLength: 0 } });
      if (!answer.value) return wrong(told(answer), [answer.exchange.evidence]);
      const count = answer.value.history?.length ?? 0;
      return count === 0 ? right("None") : wrong(`${count} messages`, [answer.exchange.evidence]);
    },
  ),
  wayCheck(
    {
      id: "list",
      title: "Tasks can be listed, page by page, without their artifacts",
      clause: "A2A 1.0 §3.1.4",
      severity: "must",
      meaning: "A client cannot find its tasks again.",
      remedy: "Answer ListTasks: newest first, nextPageToken always there, artifacts only if asked for.",
    },
    async (examination, way) => {
      if (!has(way, "list") || way.endpoint.dialect !== "1.0") return undefined;
      const id = await endedTask(examination, way);
      const answer = await ask(examination, way, { operation: "list", request: { pageSize: 5 } });
      const { evidence } = answer.exchange;
      if (!answer.value) return wrong(told(answer), [evidence]);
      const raw = isObject(answer.raw) ? answer.raw : {};
      const { tasks } = answer.value;
      // What is empty is not sent over gRPC, and is there all the same.
      if (raw.nextPageToken === undefined && !isGrpc(way))
        return wrong("nextPageToken is missing", [evidence]);
      if (tasks.length > 5) return wrong(`${tasks.length} tasks on a page of 5`, [evidence]);
      if (tasks.some(({ artifacts = [] }) => artifacts.length > 0))
        return wrong("It lists artifacts, unasked", [evidence]);
      const isThere = id === undefined || tasks.some((task) => task.id === id) || tasks.length === 5;
      if (!isThere) return wrong(`The task ${id} is not listed`, [evidence]);
      const times = (Array.isArray(raw.tasks) ? raw.tasks : []).map((task) =>
        String(task?.status?.timestamp ?? ""),
      );
      // Whoever tells no times cannot be told to sort by them.
      const isSorted =
        times.includes("") || times.every((time, place) => place === 0 || time <= (times[place - 1] ?? ""));
      return isSorted
        ? right(`${tasks.length} tasks`)
        : wrong("They are not sorted, newest first", [evidence]);
    },
  ),
  wayCheck(
    {
      id: "extended-card",
      title: "The extended card is there if it is claimed, and refused if not",
      clause: "A2A 1.0 §3.1.11, §3.3.4, §13.3; 0.3 §7.10",
      severity: "must",
      meaning:
        "The card claims an extended card that cannot be had, or the agent has one that nobody is told of.",
      remedy: "Claim it and serve it to authenticated callers, or refuse it with −32004 (0.3: −32007).",
    },
    async (examination, way) => {
      if (way.endpoint.dialect === "0.1") return undefined;
      const isClaimed = (await claims(examination)).extendedAgentCard === true;
      const answer = await ask(examination, way, { operation: "extendedCard", request: {} });
      const { status, evidence } = answer.exchange;
      const isLocked = status === 401 || status === 403;
      if (isClaimed) {
        if (answer.value !== undefined) return right("It is there");
        if (isLocked) return right("It wants authentication, as it should");
        return wrong(`It is claimed, and the answer is ${told(answer)}`, [evidence]);
      }
      const kinds = ["UnsupportedOperation", "ExtendedAgentCardNotConfigured"];
      if (kinds.includes(answer.error?.kind ?? "")) return right(`Not claimed: ${told(answer)}`);
      if (isLocked) return right("Not claimed, and it wants authentication");
      return wrong(`It is not claimed, and the answer is ${told(answer)}`, [evidence], "should");
    },
  ),
]);

function errorIn(json: unknown): string {
  const error = isObject(json) && isObject(json.error) ? json.error : undefined;
  return error ? ` (${error.code}: ${error.message})` : "";
}
