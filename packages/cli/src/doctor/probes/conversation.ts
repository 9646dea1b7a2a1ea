import { randomUUID } from "node:crypto";
import type { Message, Task } from "@parley/a2a";
import { isOver, type OperationRequests } from "@parley/a2a/checks";
import { claims } from "./cards.ts";
import type { InterfaceProbe } from "./interface-probe.ts";
import { type ObservedStream, observeStream } from "./observed-stream.ts";

/** The doctor's message to the agent. */
export function testMessage(probe: InterfaceProbe, more: Partial<Message> = {}): OperationRequests["send"] {
  const message: Message = {
    messageId: doctorId(),
    role: "ROLE_USER",
    parts: [{ text: probe.examination.options.message }],
    ...more,
  };
  if (probe.dialect !== "0.1") return { message };
  return { message: { ...message, taskId: message.taskId ?? doctorId() }, clientTaskId: true };
}

/** A new id that shows that the doctor made it. */
export function doctorId(): string {
  return `doctor_${randomUUID().replaceAll("-", "")}`;
}

/** The agent's streamed answer, requested once per interface. */
export function streamed(probe: InterfaceProbe): Promise<ObservedStream> {
  return probe.once("stream", () => observeStream(probe, "stream", testMessage(probe)));
}

/** The agent's answer in one piece, requested once per interface. */
export function sent(probe: InterfaceProbe) {
  return probe.once("send", () => probe.ask("send", testMessage(probe)));
}

/** The id of a task that has ended; undefined where the agent made none. */
export function endedTaskId(probe: InterfaceProbe): Promise<string | undefined> {
  return probe.once("ended", async () => {
    if ((await claims(probe.examination)).streaming) {
      const { report } = await streamed(probe);
      if (report.taskId !== undefined && isOver(report.states.at(-1) ?? "")) return report.taskId;
    }
    const task = taskIn(await sent(probe));
    return task && isOver(stateOf(task)) ? task.id : undefined;
  });
}

export function taskIn(answer: Awaited<ReturnType<typeof sent>>): Task | undefined {
  return answer.value && "task" in answer.value ? answer.value.task : undefined;
}

/** A task's state in the spelling of v0.3. */
export function stateOf({ status }: Task): string {
  return status.state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
}

/** The text of all artifacts of a task. */
export function artifactText({ artifacts = [] }: Task): string {
  return artifacts.flatMap(({ parts }) => parts.map(({ text = "" }) => text)).join("");
}

/** The text of all artifacts of a stream. */
export function streamedText({ report }: ObservedStream): string {
  return Object.values(report.texts).join("");
}
