import { isFields } from "./judge-answer.ts";

type Fields = Readonly<Record<string, unknown>>;

const STATE =
  /^(TASK_STATE_[A-Z_]+|submitted|working|input-required|auth-required|completed|failed|canceled|rejected)$/;

/** What is wrong with a result that is meant as a task, a message, a list or an event; undefined: nothing. */
export function resultFault(result: unknown): string | undefined {
  return isResult(result) ? undefined : `no such result: ${JSON.stringify(result)?.slice(0, 300)}`;
}

function isResult(result: unknown): boolean {
  if (result === null || Array.isArray(result)) return isPushAnswer(result);
  if (!isFields(result)) return false;
  if (isFields(result.task)) return isTask(result.task);
  if (isFields(result.message)) return isMessage(result.message);
  if (Array.isArray(result.tasks))
    return typeof result.nextPageToken === "string" && result.tasks.every(isTask);
  const update = result.statusUpdate ?? result.artifactUpdate ?? result;
  return isMessage(result) || isTask(result) || isUpdate(update) || isPushAnswer(result);
}

// A config, a list of them, or what is left of one that was deleted: nothing.
function isPushAnswer(answer: unknown): boolean {
  if (answer === null) return true;
  if (Array.isArray(answer)) return answer.every(isPushAnswer);
  if (!isFields(answer)) return false;
  const { url, pushNotificationConfig: nested, configs } = answer;
  if (configs !== undefined) return isPushAnswer(configs);
  return typeof url === "string" || isFields(nested) || Object.keys(answer).length === 0;
}

// What a stream that goes on after a cursor begins with.
function isUpdate(update: unknown): boolean {
  if (!isFields(update)) return false;
  const { taskId = update.id, status, artifact } = update;
  return (
    typeof taskId === "string" &&
    (isFields(artifact) ? Array.isArray(artifact.parts ?? []) : isStatus(status))
  );
}

// A v0.1 stream begins with the task as a status, which has an id and a status too.
function isTask(task: unknown): boolean {
  return isFields(task) && typeof task.id === "string" && isStatus(task.status);
}

function isStatus(status: unknown): boolean {
  if (!isFields(status)) return false;
  const { state, timestamp } = status;
  const isTime = timestamp === undefined || /Z$/.test(String(timestamp));
  return typeof state === "string" && STATE.test(state) && isTime;
}

function isMessage(message: Fields): boolean {
  // ProtoJSON of v0.3 has another name for the parts.
  const { messageId, role, content, parts = content } = message;
  return typeof messageId === "string" && typeof role === "string" && Array.isArray(parts);
}
