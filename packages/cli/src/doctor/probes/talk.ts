import { randomUUID } from "node:crypto";
import type { Message, Task } from "@parley/a2a";
import { isOver, type OperationRequests } from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import { claims } from "./cards.ts";
import { type SeenStream, seeStream } from "./seen-stream.ts";
import { type Answer, ask, type Way } from "./way.ts";

/** What the doctor says to the agent, under a name of its own. */
export function message(
  examination: Examination,
  way: Way,
  more: Partial<Message> = {},
): OperationRequests["send"] {
  const said: Message = {
    messageId: doctorsId(),
    role: "ROLE_USER",
    parts: [{ text: examination.options.message }],
    ...more,
  };
  if (way.endpoint.dialect !== "0.1") return { message: said };
  return { message: { ...said, taskId: said.taskId ?? doctorsId() }, clientTaskId: true };
}

/** A name that says who gave it. */
export function doctorsId(): string {
  return `doctor_${randomUUID().replaceAll("-", "")}`;
}

/** The agent's answer by stream, asked for once for each way. */
export function streamed(examination: Examination, way: Way): Promise<SeenStream> {
  return examination.once(`stream ${way.name}`, async () => {
    const request = message(examination, way);
    return seeStream(examination, way, { operation: "stream", request });
  });
}

/** The agent's answer in one piece, asked for once for each way. */
export function sent(examination: Examination, way: Way) {
  return examination.once(`send ${way.name}`, () =>
    ask(examination, way, { operation: "send", request: message(examination, way) }),
  );
}

/** A task of the agent's that has ended, with its id; undefined where there is none. */
export function endedTask(examination: Examination, way: Way): Promise<string | undefined> {
  return examination.once(`ended ${way.name}`, async () => {
    const { streaming } = await claims(examination);
    if (streaming) {
      const { report } = await streamed(examination, way);
      if (report.taskId !== undefined && isOver(report.states.at(-1) ?? "")) return report.taskId;
    }
    const task = taskIn(await sent(examination, way));
    return task && isOver(stateOf(task)) ? task.id : undefined;
  });
}

/** The task as its agent keeps it. */
export function recordTalk(examination: Examination, way: Way, id: string): Promise<Answer<Task>> {
  return ask(examination, way, { operation: "get", request: { id } });
}

export function taskIn(answer: Awaited<ReturnType<typeof sent>>): Task | undefined {
  return answer.value && "task" in answer.value ? answer.value.task : undefined;
}

/** A state in the old spelling. */
export function stateOf({ status }: Task): string {
  return status.state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
}

export function textsOf({ artifacts = [] }: Task): string[] {
  return artifacts.map(({ parts }) => parts.map(({ text = "" }) => text).join(""));
}
