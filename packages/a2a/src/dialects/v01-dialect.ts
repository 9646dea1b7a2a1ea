import { chosenTaskId } from "../protocol/chosen-task-id.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Json, PushConfig } from "../protocol/model.ts";
import type { Dialect, OperationResults, SendAnswer, TaskNames, UnaryOperation } from "./dialect.ts";
import { encodeLegacyPushConfig } from "./legacy-push.ts";
import { methodTable } from "./method-table.ts";
import { decodeV01Answer } from "./v01-answers.ts";
import { encodeV01Answer, encodeV01Task } from "./v01-encode.ts";
import { decodeV01Error, encodeV01Error } from "./v01-errors.ts";
import { v01EventDecoder } from "./v01-event-decoder.ts";
import { v01EventEncoder } from "./v01-event-encoder.ts";
import { decodeV01Request, encodeV01Request } from "./v01-requests.ts";

type ResultEncoder<O extends UnaryOperation> = (result: OperationResults[O], task: TaskNames) => Json;

const encoders: { readonly [O in UnaryOperation]: ResultEncoder<O> } = {
  send: encodeSendAnswer,
  get: encodeV01Task,
  list: () => missing("list"),
  cancel: encodeV01Task,
  createPush: encodePushConfig,
  getPush: encodePushConfig,
  listPush: () => missing("listPush"),
  deletePush: () => missing("deletePush"),
  extendedCard: () => missing("extendedCard"),
};

function encodeSendAnswer(answer: SendAnswer, task: TaskNames): Json {
  if ("task" in answer) return encodeV01Task(answer.task);
  const { message } = answer;
  return encodeV01Answer(message, {
    id: message.taskId ?? task.id ?? "",
    contextId: message.contextId ?? task.contextId ?? "",
  });
}

function encodePushConfig(config: PushConfig): Json {
  const pushNotificationConfig = encodeLegacyPushConfig(config, { withId: false });
  return { id: chosenTaskId(config.taskId ?? ""), pushNotificationConfig };
}

function missing(operation: UnaryOperation): never {
  throw new A2AError("UnsupportedOperation", `A2A 0.1 has no operation ${operation}`, { operation });
}

/** A2A v0.1, the dialect of the second seed: the client names the task, and artifacts have numbers. */
export const v01Dialect: Dialect = {
  version: "0.1",
  ...methodTable({
    send: "tasks/send",
    stream: "tasks/sendSubscribe",
    get: "tasks/get",
    cancel: "tasks/cancel",
    subscribe: "tasks/resubscribe",
    createPush: "tasks/pushNotification/set",
    getPush: "tasks/pushNotification/get",
  }),
  decodeRequest: decodeV01Request,
  encodeRequest: encodeV01Request,
  encodeResult: (operation, result, task = {}) => encoders[operation](result, task),
  decodeResult: decodeV01Answer,
  eventEncoder: v01EventEncoder,
  eventDecoder: v01EventDecoder,
  encodeError: encodeV01Error,
  decodeError: decodeV01Error,
};
