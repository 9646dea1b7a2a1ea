import type { Json, PushConfig } from "../protocol/model.ts";
import type { Dialect, OperationResults, UnaryOperation } from "./dialect.ts";
import { encodeLegacyPushConfig } from "./legacy-push.ts";
import { methodTable } from "./method-table.ts";
import { decodeV03Answer, v03EventDecoder } from "./v03-answers.ts";
import { encodeV03Event, encodeV03Message, encodeV03Task } from "./v03-encode.ts";
import { decodeV03Error, encodeV03Error } from "./v03-errors.ts";
import { decodeV03Request, encodeV03Request } from "./v03-requests.ts";

const encoders: { readonly [O in UnaryOperation]: (result: OperationResults[O]) => Json } = {
  send: (answer) => ("task" in answer ? encodeV03Task(answer.task) : encodeV03Message(answer.message)),
  get: encodeV03Task,
  list: ({ tasks }) => tasks.map(encodeV03Task),
  cancel: encodeV03Task,
  createPush: encodePushConfig,
  getPush: encodePushConfig,
  listPush: ({ configs }) => configs.map(encodePushConfig),
  deletePush: () => null,
  extendedCard: (card) => card,
};

function encodePushConfig(config: PushConfig): Json {
  const pushNotificationConfig = encodeLegacyPushConfig(config, { withId: true });
  return { taskId: config.taskId ?? "", pushNotificationConfig };
}

/** A2A v0.3, the dialect of the first seed: every object says its `kind`, and a stream's end is `final`. */
export const v03Dialect: Dialect = {
  version: "0.3",
  ...methodTable({
    send: "message/send",
    stream: "message/stream",
    get: "tasks/get",
    cancel: "tasks/cancel",
    subscribe: "tasks/resubscribe",
    createPush: "tasks/pushNotificationConfig/set",
    getPush: "tasks/pushNotificationConfig/get",
    listPush: "tasks/pushNotificationConfig/list",
    deletePush: "tasks/pushNotificationConfig/delete",
    extendedCard: "agent/getAuthenticatedExtendedCard",
  }),
  decodeRequest: decodeV03Request,
  encodeRequest: encodeV03Request,
  encodeResult: (operation, result) => encoders[operation](result),
  decodeResult: decodeV03Answer,
  eventEncoder: () => (event) => [JSON.stringify(encodeV03Event(event.payload))],
  eventDecoder: v03EventDecoder,
  encodeError: encodeV03Error,
  decodeError: decodeV03Error,
};
