import { isObject } from "@parley/a2a";
import { isSettledState } from "@parley/a2a/checks";
import { checksOf, fail, interfaceCheck, pass, skip } from "../check.ts";
import { claims } from "../probes/cards.ts";
import {
  artifactText,
  endedTaskId,
  sent,
  stateOf,
  streamed,
  streamedText,
  taskIn,
} from "../probes/conversation.ts";
import { answerText, type InterfaceProbe } from "../probes/interface-probe.ts";
import { sendWithoutWaiting } from "../probes/mid-stream.ts";
import { isStream } from "../probes/observed-stream.ts";

const NO_TASK = skip("The agent made no task");
const NO_ENDED_TASK = skip("The agent made no task that has ended");
const isNotFirstVersion = ({ dialect }: InterfaceProbe) => dialect !== "0.1";

/** Checks of each operation in its normal course. */
export const operationChecks = checksOf("Operations", [
  interfaceCheck(
    {
      id: "send",
      title: "Sending a message returns a task or a message",
      clause: "A2A 1.0 §3.1.1; 0.3 §7.1; 0.1 tasks/send",
      severity: "must",
      meaning: "The agent cannot be used, or its answer does not have the form of its version.",
      remedy: "Answer with a Task or a Message in the form of the version.",
    },
    async (probe) => {
      const answer = await sent(probe);
      const { evidence, milliseconds } = answer.exchange;
      if (answer.value === undefined) return fail(answerText(answer), [evidence]);
      const task = taskIn(answer);
      const what = task ? `A task (${stateOf(task)})` : "A message";
      return pass(`${what} after ${Math.round(milliseconds)} ms`, [evidence]);
    },
  ),
  interfaceCheck(
    {
      id: "send-waits",
      title: "Blocking send returns when the task has ended or needs input, with its artifacts",
      clause: "A2A 1.0 §3.2.2; protocol.md, row “waiting”",
      severity: "must",
      meaning: "A client that waits takes an unfinished task for a finished one, and misses the answer.",
      remedy:
        "Return only at a terminal or interrupted state unless returnImmediately (0.3: blocking false) is set.",
      appliesTo: isNotFirstVersion,
    },
    async (probe) => {
      const answer = await sent(probe);
      const task = taskIn(answer);
      if (!task) return NO_TASK;
      const { evidence } = answer.exchange;
      const severity = probe.dialect === "1.0" ? "must" : "should";
      const detail = `Answered while the task was ${stateOf(task)}`;
      if (!isSettledState(stateOf(task))) return fail(detail, [evidence], severity);
      const kept = (await probe.ask("get", { id: task.id })).value;
      if (kept && artifactText(kept) !== artifactText(task))
        return fail("The answer's artifacts differ from the task's", [evidence], severity);
      return pass(`Answered when the task was ${stateOf(task)}`);
    },
  ),
  interfaceCheck(
    {
      id: "send-immediate",
      title: "Non-blocking send returns the task immediately, and the task runs to its end",
      clause: "A2A 1.0 §3.2.2 (0.3: blocking false)",
      severity: "should",
      meaning: "A caller that asked not to wait has to wait, or the task stops when nobody waits for it.",
      remedy: "With returnImmediately, answer as soon as the task is created, and keep working.",
      appliesTo: isNotFirstVersion,
    },
    async (probe) => {
      const { sent: first, kept } = await sendWithoutWaiting(probe);
      const { evidence, milliseconds } = first.exchange;
      if (!first.value) return fail(answerText(first), [evidence]);
      const task = taskIn(first);
      if (!task || !kept) return NO_TASK;
      if (!kept.value) return fail(answerText(kept), [kept.exchange.evidence]);
      const state = stateOf(kept.value);
      if (!isSettledState(state))
        return fail(`The task is still ${state}`, [evidence, kept.exchange.evidence]);
      return pass(`${stateOf(task)} after ${Math.round(milliseconds)} ms, finally ${state}`);
    },
  ),
  interfaceCheck(
    {
      id: "stream",
      title: "Sending a streaming message returns a stream",
      clause: "A2A 1.0 §3.1.2, §3.3.4; 0.3 §7.2; 0.1 tasks/sendSubscribe",
      severity: "must",
      meaning: "The card claims streaming, but a client that relies on it gets no stream.",
      remedy: "Answer with text/event-stream, or remove streaming from the card.",
      capability: "streaming",
    },
    async (probe) => {
      const { wire, report, frames, firstEvent } = await streamed(probe);
      const { failure, status, contentType, evidence, json } = wire;
      if (failure !== undefined && frames.length === 0) return fail(failure, [evidence]);
      if (!isStream(wire))
        return fail(`Answered HTTP ${status} with ${contentType || "no content type"}${errorIn(json)}`, [
          evidence,
        ]);
      if (frames.length === 0) return fail("The stream has no events", [evidence]);
      return pass(`${report.events} events, the first after ${Math.round(firstEvent ?? 0)} ms`, [evidence]);
    },
  ),
  interfaceCheck(
    {
      id: "get",
      title: "Getting a task returns what was streamed",
      clause: "A2A 1.0 §3.1.3; 0.3 §7.3",
      severity: "must",
      meaning: "A client that fetches the task later gets another answer than one that watched, or none.",
      remedy: "Store the task, with its state and artifacts, as it was streamed.",
    },
    async (probe) => {
      const id = await endedTaskId(probe);
      if (id === undefined) return NO_ENDED_TASK;
      const answer = await probe.ask("get", { id });
      const { evidence } = answer.exchange;
      if (!answer.value) return fail(answerText(answer), [evidence]);
      if (answer.value.id !== id) return fail(`Requested ${id}, got ${answer.value.id}`, [evidence]);
      const state = stateOf(answer.value);
      if (!(await claims(probe.examination)).streaming) return pass(state);
      const stream = await streamed(probe);
      if (stream.report.taskId !== id || stream.report.overflowed) return pass(state);
      const last = stream.report.states.at(-1);
      if (last !== state) return fail(`The stream ended with ${last}, but the task is ${state}`, [evidence]);
      const [inStream, inTask] = [streamedText(stream), artifactText(answer.value)];
      if (inStream === inTask) return pass(`${state}, ${inTask.length} characters, as streamed`);
      return fail(`${inStream.length} characters were streamed, but the task has ${inTask.length}`, [
        evidence,
      ]);
    },
  ),
  interfaceCheck(
    {
      id: "get-history",
      title: "historyLength 0 returns no history",
      clause: "A2A 1.0 §3.2.4; protocol.md, “What implementers get wrong”",
      severity: "should",
      meaning: "A client that wants no history gets it all the same, however long it is.",
      remedy: "0 means none, N the N newest messages, unset is your choice.",
      appliesTo: ({ dialect }) => dialect === "1.0",
    },
    async (probe) => {
      const id = await endedTaskId(probe);
      if (id === undefined) return NO_ENDED_TASK;
      const answer = await probe.ask("get", { id, historyLength: 0 });
      if (!answer.value) return fail(answerText(answer), [answer.exchange.evidence]);
      const count = answer.value.history?.length ?? 0;
      return count === 0 ? pass("None") : fail(`${count} messages`, [answer.exchange.evidence]);
    },
  ),
  interfaceCheck(
    {
      id: "list",
      title: "Tasks can be listed in pages, without their artifacts",
      clause: "A2A 1.0 §3.1.4",
      severity: "must",
      meaning: "A client cannot find its tasks again.",
      remedy: "Answer ListTasks: newest first, always with nextPageToken, artifacts only on request.",
      appliesTo: (probe) => probe.supports("list") && probe.dialect === "1.0",
    },
    async (probe) => {
      const id = await endedTaskId(probe);
      const answer = await probe.ask("list", { pageSize: 5 });
      const { evidence } = answer.exchange;
      if (!answer.value) return fail(answerText(answer), [evidence]);
      const raw = isObject(answer.raw) ? answer.raw : {};
      const { tasks } = answer.value;
      // gRPC does not send empty values.
      if (raw.nextPageToken === undefined && !probe.isGrpc)
        return fail("nextPageToken is missing", [evidence]);
      if (tasks.length > 5) return fail(`${tasks.length} tasks on a page of 5`, [evidence]);
      if (tasks.some(({ artifacts = [] }) => artifacts.length > 0))
        return fail("Artifacts are listed without being requested", [evidence]);
      const isThere = id === undefined || tasks.some((task) => task.id === id) || tasks.length === 5;
      if (!isThere) return fail(`The task ${id} is not listed`, [evidence]);
      const times = (Array.isArray(raw.tasks) ? raw.tasks : []).map((task) =>
        String(task?.status?.timestamp ?? ""),
      );
      // Without timestamps the order cannot be checked.
      const isSorted =
        times.includes("") || times.every((time, index) => index === 0 || time <= (times[index - 1] ?? ""));
      return isSorted ? pass(`${tasks.length} tasks`) : fail("Not sorted newest first", [evidence]);
    },
  ),
  interfaceCheck(
    {
      id: "extended-card",
      title: "The extended card is served if claimed, and refused if not",
      clause: "A2A 1.0 §3.1.11, §3.3.4, §13.3; 0.3 §7.10",
      severity: "must",
      meaning: "The card claims an extended card that cannot be fetched, or hides one that can.",
      remedy: "Claim it and serve it to authenticated callers, or refuse it with −32004 (0.3: −32007).",
      appliesTo: isNotFirstVersion,
    },
    async (probe) => {
      const isClaimed = (await claims(probe.examination)).extendedAgentCard === true;
      const answer = await probe.ask("extendedCard", {});
      const { status, evidence } = answer.exchange;
      const isLocked = status === 401 || status === 403;
      if (isClaimed) {
        if (answer.value !== undefined) return pass("Served");
        if (isLocked) return pass("Requires authentication, as it should");
        return fail(`Claimed, but answered with ${answerText(answer)}`, [evidence]);
      }
      const kinds = ["UnsupportedOperation", "ExtendedAgentCardNotConfigured"];
      if (kinds.includes(answer.error?.kind ?? "")) return pass(`Not claimed: ${answerText(answer)}`);
      if (isLocked) return pass("Not claimed, and requires authentication");
      return fail(`Not claimed, but answered with ${answerText(answer)}`, [evidence], "should");
    },
  ),
]);

function errorIn(json: unknown): string {
  const error = isObject(json) && isObject(json.error) ? json.error : undefined;
  return error ? ` (${error.code}: ${error.message})` : "";
}
