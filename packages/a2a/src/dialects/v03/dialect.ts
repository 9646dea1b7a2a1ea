import { A2A_ERRORS, type A2AError } from "../../protocol/errors.ts";
import type { Json } from "../../protocol/model.ts";
import {
  type Dialect,
  methodTable,
  type OperationResults,
  type UnaryOperation,
  type WireError,
} from "../dialect.ts";
import { decodeErrorObject, INTERNAL_MESSAGE, textMembers } from "../error-object.ts";
import { decodeV03Answer, v03EventDecoder } from "./decode.ts";
import { encodeV03Event, encodeV03Message, encodeV03PushConfig, encodeV03Task } from "./encode.ts";
import { decodeV03Request, encodeV03Request } from "./requests.ts";

const encoders: { readonly [O in UnaryOperation]: (result: OperationResults[O]) => Json } = {
  send: (answer) => ("task" in answer ? encodeV03Task(answer.task) : encodeV03Message(answer.message)),
  get: encodeV03Task,
  list: ({ tasks }) => tasks.map(encodeV03Task),
  cancel: encodeV03Task,
  createPush: encodeV03PushConfig,
  getPush: encodeV03PushConfig,
  listPush: ({ configs }) => configs.map(encodeV03PushConfig),
  deletePush: () => null,
  extendedCard: (card) => card,
};

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

// v0.3 does not define −32008 and −32009, but JSON-RPC leaves them to servers, and the official SDKs use them.
function encodeV03Error(error: A2AError): WireError {
  const code = A2A_ERRORS[error.kind].code;
  if (error.kind === "Internal") return { code, message: INTERNAL_MESSAGE };
  const { message, details } = error;
  return { code, message, ...(Object.keys(details).length > 0 && { data: details }) };
}

function decodeV03Error(value: unknown): A2AError {
  return decodeErrorObject(value, (data) => ({ details: textMembers(data) }));
}
