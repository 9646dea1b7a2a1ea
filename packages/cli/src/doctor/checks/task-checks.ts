import type { Task } from "@parley/a2a";
import { isOver, isSettledState } from "@parley/a2a/checks";
import { checksOf, type Finding, fail, interfaceCheck, pass, skip } from "../check.ts";
import {
  artifactText,
  doctorId,
  endedTaskId,
  sent,
  stateOf,
  streamedText,
  taskIn,
  testMessage,
} from "../probes/conversation.ts";
import { answerText } from "../probes/interface-probe.ts";
import {
  cancelMidStream,
  messageMidStream,
  sendWithoutWaiting,
  subscribeMidStream,
} from "../probes/mid-stream.ts";
import { errorIn, isStream, type ObservedStream } from "../probes/observed-stream.ts";

const TOO_QUICK = skip("The task ended too early; use --message to request something that takes longer");

/** Two connections see one moment at slightly different times. */
const SAME_MOMENT_MS = 50;

/** Checks of what happens to a task while it runs. */
export const taskChecks = checksOf("Running tasks", [
  interfaceCheck(
    {
      id: "cancel",
      title: "A running task can be canceled, and its stream says so",
      clause: "A2A 1.0 §3.1.5; 0.3 §7.4",
      severity: "must",
      meaning: "A task goes on after it was canceled, or its watchers do not learn of it.",
      remedy: "Stop the work, send canceled as the last status on every stream, and answer with the task.",
      capability: "streaming",
    },
    async (probe) => {
      const { stream, done, kept } = await cancelMidStream(probe);
      if (!done) return TOO_QUICK;
      const evidence = [done.exchange.evidence, stream.wire.evidence];
      const last = stream.report.states.at(-1);
      if (done.error?.kind === "TaskNotCancelable" && isOver(last ?? "")) return TOO_QUICK;
      if (isWaiting(stream)) return skip("The task asked for input before it could be canceled");
      if (!done.value) return fail(`Cancel is answered with ${answerText(done)}`, evidence);
      if (stream.wire.end === "too long") return fail("The stream goes on after the cancel", evidence);
      if (last !== "canceled") return fail(`The stream ends with ${last}, not canceled`, evidence);
      if (kept?.value && stateOf(kept.value) !== "canceled")
        return fail(`The stream says canceled, but the task is ${stateOf(kept.value)}`, [
          kept.exchange.evidence,
          ...evidence,
        ]);
      return pass("Canceled, and the stream ended");
    },
  ),
  interfaceCheck(
    {
      id: "cancel-keeps",
      title: "Canceling keeps what was streamed before, exactly once",
      clause: "protocol.md, defect “cancel during a stream applies events twice”",
      severity: "must",
      meaning: "The stored task has chunks twice, or misses some that were streamed.",
      remedy: "Apply each event to the stored task exactly once, whoever reads the queue.",
      capability: "streaming",
    },
    async (probe) => {
      const { stream, done, kept } = await cancelMidStream(probe);
      if (!done?.value || !kept?.value) return TOO_QUICK;
      return sameText(stream, kept.value, [kept.exchange.evidence, stream.wire.evidence]);
    },
  ),
  interfaceCheck(
    {
      id: "subscribe",
      title: "Subscribing to a running task returns the task and all later events",
      clause: "A2A 1.0 §3.1.6, §3.5.2; protocol.md, defect “resubscribe loses events”",
      severity: "must",
      meaning: "After a broken connection, the answer has gaps or duplicate chunks.",
      remedy:
        "Start with the task as it is and continue with every later event, without a gap between the two.",
      capability: "streaming",
    },
    async (probe) => {
      const { stream, done, wentOnMs } = await subscribeMidStream(probe);
      if (!done) return TOO_QUICK;
      const evidence = [done.wire.evidence, stream.wire.evidence];
      if (!isStream(done.wire) || done.frames.length === 0) {
        const { status, failure, text } = done.wire;
        const isRefused = /-32004|-32001|UNSUPPORTED_OPERATION|TASK_NOT_FOUND/.test(text);
        if (isRefused && wentOnMs < SAME_MOMENT_MS) return TOO_QUICK;
        return fail(`Answered HTTP ${status}: ${failure ?? text.slice(0, 200)}`, evidence);
      }
      const fault = done.faults.find(({ rule }) => rule !== "illegal-state" && rule !== "snapshot-differs");
      if (fault)
        return fail(`Event ${fault.event} of the subscription: ${fault.rule}, ${fault.detail}`, evidence);
      // Streams of v0.1 have no task that could carry what came before.
      if (probe.dialect === "0.1") return pass(`${done.report.events} events`);
      const [own, other] = [streamedText(stream), streamedText(done)];
      if (own !== other)
        return fail(`The sender got ${own.length} characters, the subscriber ${other.length}`, evidence);
      return pass(`${done.report.events} events, the same text as the sender got`);
    },
  ),
  interfaceCheck(
    {
      id: "second-message",
      title: "A second message to a running task does not disturb its first stream",
      clause: "A2A 1.0 §3.4; protocol.md, defect “a second message to a working task”",
      severity: "must",
      meaning: "The first caller loses the rest of the answer.",
      remedy:
        "Pass the message to the running execution, or reject it; never start a second one on the same queue.",
      capability: "streaming",
      appliesTo: ({ dialect }) => dialect !== "0.1",
    },
    async (probe) => {
      const { stream, done, kept } = await messageMidStream(probe);
      if (!done) return TOO_QUICK;
      const exchanges = [done.exchange, stream.wire, ...(kept ? [kept.exchange] : [])];
      const failed = (detail: string) =>
        fail(
          detail,
          exchanges.map(({ evidence }) => evidence),
        );
      if (isWaiting(stream)) return skip("The task asked for input before");
      if (done.error && stream.frames.length < 5) return TOO_QUICK;
      const faultOf = (...rules: readonly string[]) => stream.faults.find(({ rule }) => rules.includes(rule));
      if (stream.wire.end === "too long") return failed("The first stream does not end");
      const error = errorIn(stream);
      if (error !== undefined) return failed(`The first stream ends with an error: ${error}`);
      const end = faultOf("no-final-status", "after-final");
      if (end) return failed(`The first stream: ${end.rule}, ${end.detail}`);
      const restart = faultOf("task-twice", "append-to-nothing");
      if (restart) return failed(`A second execution writes to the first stream: ${restart.rule}`);
      if (!kept?.value) return pass(answerText(done));
      const same = sameText(stream, kept.value, failed("").evidence);
      return same.result === "pass" ? pass(`The second was answered with ${answerText(done)}`) : same;
    },
  ),
  interfaceCheck(
    {
      id: "repeated-message",
      title: "Sending a message twice with one messageId and Idempotency-Key makes one task",
      clause: "A2A 1.0 §3.3.1 (MAY)",
      severity: "info",
      meaning: "A client that retries after a broken connection has the work done twice.",
      remedy: "Recognise a caller's messageId and answer with the task that it made.",
      appliesTo: ({ dialect }) => dialect !== "0.1",
    },
    async (probe) => {
      const messageId = doctorId();
      const request = testMessage(probe, { messageId });
      const headers = { "idempotency-key": messageId };
      const one = taskIn(await probe.ask("send", request, { headers }));
      if (!one) return skip("The agent made no task");
      const second = await probe.ask("send", request, { headers });
      const other = taskIn(second);
      if (other?.id === one.id) return pass("Both are answered with the same task");
      const detail = other ? "Two tasks were made" : `The second is answered with ${answerText(second)}`;
      return fail(detail, [second.exchange.evidence]);
    },
  ),
  interfaceCheck(
    {
      id: "ended-stays",
      title: "A task that has ended does not change again",
      clause:
        "A2A 1.0 §4.1.3; protocol.md, defect “a late task event turns a completed task back to working”",
      severity: "must",
      meaning: "A finished task changes: later readers get another answer, or wait forever.",
      remedy: "Apply nothing to a task that has ended, whoever publishes it.",
    },
    async (probe) => {
      const streamedId = await endedTaskId(probe);
      const tasks = [taskIn(await sent(probe)), (await sendWithoutWaiting(probe)).kept?.value];
      const ended = tasks.flatMap((task) => (task && isOver(stateOf(task)) ? [task.id] : []));
      const ids = new Set([...(streamedId === undefined ? [] : [streamedId]), ...ended]);
      for (const id of ids) {
        const answer = await probe.ask("get", { id });
        const { evidence } = answer.exchange;
        if (!answer.value) return fail(answerText(answer), [evidence]);
        const state = stateOf(answer.value);
        if (!isOver(state)) return fail(`The task had ended, and is ${state} again`, [evidence]);
      }
      return ids.size === 0 ? skip("The agent made no task that has ended") : pass("Unchanged");
    },
  ),
]);

/** Whether a stream ended because its task needs input. */
function isWaiting({ report }: ObservedStream): boolean {
  const last = report.states.at(-1) ?? "";
  return isSettledState(last) && !isOver(last);
}

function sameText(stream: ObservedStream, kept: Task, evidence: Finding["evidence"]): Finding {
  const [inStream, inTask] = [streamedText(stream), artifactText(kept)];
  if (inStream === inTask) return pass(`${inTask.length} characters, as streamed`);
  return fail(`${inStream.length} characters were streamed, but the task has ${inTask.length}`, evidence);
}
