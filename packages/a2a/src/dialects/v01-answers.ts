import { z } from "zod";
import { A2AError } from "../protocol/errors.ts";
import type { PushConfig, Task } from "../protocol/model.ts";
import { uncarry } from "./carried.ts";
import type { OperationResults, SendAnswer, UnaryOperation } from "./dialect.ts";
import { legacyPushConfig } from "./legacy-push.ts";
import { v01Task, v01TaskOf } from "./v01-decode.ts";
import { parseAnswer, wireObject } from "./wire-schema.ts";

const task: z.ZodType<Task> = v01Task.transform((sent) => v01TaskOf(sent));

const answer: z.ZodType<SendAnswer> = v01Task.transform((sent) => {
  const { carried } = uncarry(sent.metadata, ["answer"]);
  const { message } = v01TaskOf(sent).status;
  return carried.answer === "message" && message ? { message } : { task: v01TaskOf(sent) };
});

const pushConfig: z.ZodType<PushConfig> = wireObject({
  id: z.string(),
  pushNotificationConfig: legacyPushConfig,
}).transform(({ id, pushNotificationConfig: { id: _, ...config } }) => ({ ...config, taskId: id }));

const schemas: { readonly [O in UnaryOperation]?: z.ZodType<OperationResults[O]> } = {
  send: answer,
  get: task,
  cancel: task,
  createPush: pushConfig,
  getPush: pushConfig,
};

/** The answer of a v0.1 agent. */
export function decodeV01Answer<O extends UnaryOperation>(operation: O, value: unknown): OperationResults[O] {
  const schema: z.ZodType<OperationResults[O]> | undefined = schemas[operation];
  if (schema !== undefined) return parseAnswer(schema, value);
  throw new A2AError("UnsupportedOperation", `A2A 0.1 has no operation ${operation}`, { operation });
}
