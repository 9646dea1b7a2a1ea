import type { Json } from "../../protocol/model.ts";
import type { AnsweringDialect, OperationResults, UnaryOperation } from "../dialect.ts";
import { v03Dialect } from "./dialect.ts";
import { protoCard } from "./proto-card.ts";
import {
  protoEvent,
  protoPushConfig,
  protoPushConfigPage,
  protoSendResponse,
  protoTask,
} from "./proto-encode.ts";
import { protoJson } from "./proto-json.ts";
import { decodeV03ProtoRequest } from "./proto-requests.ts";

const messages: { readonly [O in UnaryOperation]: (result: OperationResults[O]) => object } = {
  send: protoSendResponse,
  get: protoTask,
  list: ({ tasks }) => ({ tasks: tasks.map(protoTask) }),
  cancel: protoTask,
  createPush: protoPushConfig,
  getPush: protoPushConfig,
  listPush: protoPushConfigPage,
  deletePush: () => ({}),
  extendedCard: protoCard,
};

/** A2A v0.3 as its REST writes it: ProtoJSON of package a2a.v1. */
export const v03ProtoDialect: AnsweringDialect = {
  version: v03Dialect.version,
  decodeRequest: decodeV03ProtoRequest,
  encodeResult: (operation, result): Json => protoJson(messages[operation](result)),
  eventEncoder:
    () =>
    ({ payload }) => [JSON.stringify(protoJson(protoEvent(payload)))],
};
