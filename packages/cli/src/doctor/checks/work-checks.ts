import { isOver, isSettledState } from "@parley/a2a/checks";
import { beside, type Finding, right, wrong } from "../check.ts";
import type { Examination } from "../examination.ts";
import { claims } from "../probes/cards.ts";
import { errorIn, isStream, type SeenStream } from "../probes/seen-stream.ts";
import { doctorsId, endedTask, message, recordTalk, sent, stateOf, taskIn, textsOf } from "../probes/talk.ts";
import { ask, told, type Way } from "../probes/way.ts";
import { canceled, type Disturbed, followed, handedOver, interrupted } from "../probes/work.ts";
import { type About, checksOf, type UnlistedCheck, wayCheck } from "./define.ts";

const TOO_QUICK = "The task had ended before: give --message something that takes longer";

/** Two connections tell of one moment at slightly different times. */
const AT_ONCE_MS = 50;

/** What happens to a task while it works. */
export const workChecks = checksOf("While it works", [
  workCheck(
    {
      id: "cancel",
      title: "A task at work can be canceled, and its stream says so",
      clause: "A2A 1.0 §3.1.5; 0.3 §7.4",
      severity: "must",
      meaning: "A task goes on after its caller has canceled it, or nobody who watches learns of it.",
      remedy: "Stop the work, tell canceled as the last status on every stream, and answer with the task.",
    },
    async (examination, way) => {
      const { stream, done, kept } = await canceled(examination, way);
      if (!done) return beside(TOO_QUICK);
      const evidence = [done.exchange.evidence, stream.wire.evidence];
      if (done.error?.kind === "TaskNotCancelable" && isOver(stream.report.states.at(-1) ?? ""))
        return beside(TOO_QUICK);
      if (isWaiting(stream)) return beside("The task asked something before it could be canceled");
      if (!done.value) return wrong(`Cancel is answered with ${told(done)}`, evidence);
      const last = stream.report.states.at(-1);
      if (stream.wire.end === "too long") return wrong("The stream goes on after it was canceled", evidence);
      if (last !== "canceled") return wrong(`The stream ends with ${last}, not canceled`, evidence);
      if (kept?.value && stateOf(kept.value) !== "canceled")
        return wrong(`The stream says canceled, the task is ${stateOf(kept.value)}`, [
          kept.exchange.evidence,
          ...evidence,
        ]);
      return right("It is canceled, and its stream ends");
    },
  ),
  workCheck(
    {
      id: "cancel-keeps",
      title: "What was streamed before a cancel is kept once",
      clause: "protocol.md, defect “cancel during a stream applies events twice”",
      severity: "must",
      meaning: "The task that is kept has pieces twice, or lacks some that were streamed.",
      remedy: "Apply each event to the stored task exactly once, whoever reads the queue.",
    },
    async (examination, way) => {
      const { stream, done, kept } = await canceled(examination, way);
      if (!done?.value || !kept?.value) return beside(TOO_QUICK);
      return sameText(stream, kept.value, [kept.exchange.evidence, stream.wire.evidence]);
    },
  ),
  workCheck(
    {
      id: "subscribe",
      title: "Who subscribes to a task at work sees the task, and then all that follows",
      clause: "A2A 1.0 §3.1.6, §3.5.2; protocol.md, defect “resubscribe loses events”",
      severity: "must",
      meaning: "After a broken connection the answer has holes, or pieces twice.",
      remedy: "Begin with the task as it is and go on with every later event, without a gap between the two.",
    },
    async (examination, way) => {
      const { stream, done, wentOnMs } = await followed(examination, way);
      if (!done) return beside(TOO_QUICK);
      const evidence = [done.wire.evidence, stream.wire.evidence];
      if (!isStream(done.wire) || done.frames.length === 0) {
        const isRefused = /-32004|-32001|UNSUPPORTED_OPERATION|TASK_NOT_FOUND/.test(done.wire.text);
        return isRefused && wentOnMs < AT_ONCE_MS
          ? beside(TOO_QUICK)
          : wrong(
              `It answers HTTP ${done.wire.status}: ${done.wire.failure ?? done.wire.text.slice(0, 200)}`,
              evidence,
            );
      }
      const fault = done.faults.find(({ rule }) => rule !== "illegal-state" && rule !== "snapshot-differs");
      if (fault)
        return wrong(`Event ${fault.event} of the subscription: ${fault.rule}, ${fault.detail}`, evidence);
      // v0.1 has no task in its streams that could say what came before.
      if (way.endpoint.dialect === "0.1") return right(`${done.report.events} events`);
      const [own, other] = [stream, done].map(({ report }) => Object.values(report.texts).join(""));
      if (own !== other)
        return wrong(`Who asked got ${own?.length} characters, who subscribed ${other?.length}`, evidence);
      return right(`${done.report.events} events, the same text as who asked`);
    },
  ),
  workCheck(
    {
      id: "second-message",
      title: "A second message to a task at work costs its first stream nothing",
      clause: "A2A 1.0 §3.4; protocol.md, defect “a second message to a working task”",
      severity: "must",
      meaning: "Who asked first loses the rest of the answer.",
      remedy:
        "Hand the message to the execution that runs, or refuse it; never start a second one on the same queue.",
    },
    async (examination, way) => {
      if (way.endpoint.dialect === "0.1") return undefined;
      const { stream, done, kept } = await interrupted(examination, way);
      if (!done) return beside(TOO_QUICK);
      const evidence = [
        done.exchange.evidence,
        stream.wire.evidence,
        ...(kept ? [kept.exchange.evidence] : []),
      ];
      if (isWaiting(stream)) return beside("The task asked something before");
      if (done.error && stream.frames.length < 5) return beside(TOO_QUICK);
      const end = stream.faults.find(({ rule }) => rule === "no-final-status" || rule === "after-final");
      if (stream.wire.end === "too long") return wrong("The first stream has no end", evidence);
      const failure = errorIn(stream);
      if (failure !== undefined) return wrong(`The first stream ends with an error: ${failure}`, evidence);
      if (end) return wrong(`The first stream: ${end.rule}, ${end.detail}`, evidence);
      const begun = stream.faults.find(({ rule }) => rule === "task-twice" || rule === "append-to-nothing");
      if (begun) return wrong(`A second execution writes into the first stream: ${begun.rule}`, evidence);
      if (!kept?.value) return right(told(done));
      const same = sameText(stream, kept.value, evidence);
      return same.is === "right" ? right(`The second was answered with ${told(done)}`) : same;
    },
  ),
  wayCheck(
    {
      id: "repeated-message",
      title: "A message that is sent twice, under one messageId and Idempotency-Key, is one message",
      clause: "A2A 1.0 §3.3.1 (MAY)",
      severity: "info",
      meaning: "A client that repeats a message after a broken connection has the work done twice.",
      remedy: "Recognise the messageId of a caller and answer with the task that it made.",
    },
    async (examination, way) => {
      if (way.endpoint.dialect === "0.1") return undefined;
      const messageId = doctorsId();
      const request = message(examination, way, { messageId });
      const headers = { "idempotency-key": messageId };
      const first = await ask(examination, way, { operation: "send", request, headers });
      const one = taskIn(first);
      if (!one) return beside("It made no task");
      const second = await ask(examination, way, { operation: "send", request, headers });
      const other = taskIn(second);
      if (other?.id === one.id) return right("The second is answered with the first one's task");
      return wrong(other ? "Two tasks were made" : `The second is answered with ${told(second)}`, [
        second.exchange.evidence,
      ]);
    },
  ),
  wayCheck(
    {
      id: "ended-stays",
      title: "A task that has ended stays as it ended",
      clause:
        "A2A 1.0 §4.1.3; protocol.md, defect “a late task event turns a completed task back to working”",
      severity: "must",
      meaning: "A finished task moves again: whoever asks later gets another answer, or waits for ever.",
      remedy: "Apply nothing to a task that has ended, whoever publishes it.",
    },
    async (examination, way) => {
      const streamed = await endedTask(examination, way);
      const tasks = [taskIn(await sent(examination, way)), (await handedOver(examination, way)).kept?.value];
      const ended = tasks.flatMap((task) => (task && isOver(stateOf(task)) ? [task.id] : []));
      const ids = new Set([...(streamed === undefined ? [] : [streamed]), ...ended]);
      for (const id of ids) {
        const answer = await recordTalk(examination, way, id);
        const { evidence } = answer.exchange;
        if (!answer.value) return wrong(told(answer), [evidence]);
        const state = stateOf(answer.value);
        if (!isOver(state)) return wrong(`It had ended, and is ${state} again`, [evidence]);
      }
      return ids.size === 0 ? beside("It made no task that has ended") : right("It does");
    },
  ),
]);

function workCheck(
  about: About,
  judge: (examination: Examination, way: Way) => Promise<Finding | undefined>,
): UnlistedCheck {
  return wayCheck(about, async (examination, way) => {
    if (!(await claims(examination)).streaming) return beside("The card does not claim streaming");
    return judge(examination, way);
  });
}

/** It ended by asking, which is no end. */
function isWaiting({ report }: SeenStream): boolean {
  const last = report.states.at(-1) ?? "";
  return isSettledState(last) && !isOver(last);
}

type Kept = NonNullable<NonNullable<Disturbed<unknown>["kept"]>["value"]>;

function sameText({ report }: SeenStream, kept: Kept, evidence: Finding["evidence"]): Finding {
  const [streamed, stored] = [Object.values(report.texts).join(""), textsOf(kept).join("")];
  if (streamed === stored) return right(`${stored.length} characters, as they were streamed`);
  return wrong(`${streamed.length} characters were streamed, ${stored.length} are kept`, evidence);
}
