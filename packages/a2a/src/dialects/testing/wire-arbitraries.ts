import fc from "fast-check";
import { base64, metadata, text, time } from "./canonical-arbitraries.ts";

/** How a dialect before v1.0 says what a part is. */
type PartTag = "kind" | "type";

const texts = fc.array(text, { maxLength: 3 });
const role = fc.constantFrom("user", "agent");
const file = fc.oneof(
  fc.record(
    { bytes: base64, name: text, mimeType: text },
    { noNullPrototype: true, requiredKeys: ["bytes"] },
  ),
  fc.record(
    { uri: fc.webUrl(), name: text, mimeType: text },
    { noNullPrototype: true, requiredKeys: ["uri"] },
  ),
);

function part(tag: PartTag) {
  const content = fc.oneof(
    fc.string().map((it) => ({ [tag]: "text", text: it })),
    file.map((it) => ({ [tag]: "file", file: it })),
    metadata.map((it) => ({ [tag]: "data", data: it })),
  );
  const described = fc.option(metadata, { nil: undefined });
  return fc.tuple(content, described).map(([it, meta]) => (meta ? { ...it, metadata: meta } : it));
}

const v03Parts = fc.array(part("kind"), { minLength: 1, maxLength: 3 });
const v01Parts = fc.array(part("type"), { minLength: 1, maxLength: 3 });

/** A message as v0.3 writes it. */
export const v03Message = fc.record(
  {
    kind: fc.constant("message"),
    messageId: text,
    contextId: text,
    taskId: text,
    role,
    parts: v03Parts,
    metadata,
    extensions: texts,
    referenceTaskIds: texts,
  },
  { noNullPrototype: true, requiredKeys: ["kind", "messageId", "role", "parts"] },
);

const v03State = fc.constantFrom(
  "submitted",
  "working",
  "input-required",
  "completed",
  "canceled",
  "failed",
  "rejected",
  "auth-required",
);

const v03Status = fc.record(
  { state: v03State, message: v03Message, timestamp: time },
  { noNullPrototype: true, requiredKeys: ["state"] },
);

const v03Artifact = fc.record(
  { artifactId: text, name: text, description: text, parts: v03Parts, metadata, extensions: texts },
  { noNullPrototype: true, requiredKeys: ["artifactId", "parts"] },
);

/** A task as v0.3 writes it. */
export const v03Task = fc.record(
  {
    kind: fc.constant("task"),
    id: text,
    contextId: text,
    status: v03Status,
    artifacts: fc.array(v03Artifact, { maxLength: 3 }),
    history: fc.array(v03Message, { maxLength: 3 }),
    metadata,
  },
  { noNullPrototype: true, requiredKeys: ["kind", "id", "contextId", "status"] },
);

/** An event of a v0.3 stream; `final` is whatever the agent thinks. */
export const v03Event = fc.oneof(
  v03Task,
  v03Message,
  fc.record(
    {
      kind: fc.constant("status-update"),
      taskId: text,
      contextId: text,
      status: v03Status,
      final: fc.boolean(),
      metadata,
    },
    { noNullPrototype: true, requiredKeys: ["kind", "taskId", "contextId", "status", "final"] },
  ),
  fc.record(
    {
      kind: fc.constant("artifact-update"),
      taskId: text,
      contextId: text,
      artifact: v03Artifact,
      append: fc.boolean(),
      lastChunk: fc.boolean(),
      metadata,
    },
    { noNullPrototype: true, requiredKeys: ["kind", "taskId", "contextId", "artifact", "append"] },
  ),
);

const authentication = fc.record(
  { schemes: fc.array(text, { maxLength: 1 }), credentials: text },
  { noNullPrototype: true, requiredKeys: ["schemes"] },
);

/** A push config as v0.3 writes it. */
export const v03PushConfig = fc.record({
  taskId: text,
  pushNotificationConfig: fc.record(
    { id: text, url: fc.webUrl(), token: text, authentication },
    { noNullPrototype: true, requiredKeys: ["url"] },
  ),
});

/** A push config as v0.1 writes it. */
export const v01PushConfig = fc.record({
  id: text,
  pushNotificationConfig: fc.record(
    { url: fc.webUrl(), token: text, authentication },
    { noNullPrototype: true, requiredKeys: ["url"] },
  ),
});

const v01Message = fc.record(
  { role, parts: v01Parts, metadata },
  { noNullPrototype: true, requiredKeys: ["role", "parts"] },
);
const v01State = fc.constantFrom("submitted", "working", "input-required", "completed", "canceled", "failed");
const v01Status = fc.record(
  { state: v01State, message: v01Message, timestamp: time },
  { noNullPrototype: true, requiredKeys: ["state"] },
);
const v01Artifact = { name: text, description: text, parts: v01Parts, metadata };

/** A task as v0.1 writes it, its artifacts numbered in order. */
export const v01Task = fc.record(
  {
    id: text,
    sessionId: text,
    status: v01Status,
    artifacts: fc
      .array(fc.record(v01Artifact, { noNullPrototype: true, requiredKeys: ["parts"] }), { maxLength: 3 })
      .map((artifacts) => artifacts.map((it, index) => ({ ...it, index }))),
    history: fc.array(v01Message, { maxLength: 3 }),
    metadata,
  },
  { noNullPrototype: true, requiredKeys: ["id", "status"] },
);

/** An event of the v0.1 stream of this task. */
export function v01Event(id: string) {
  const names = { id: fc.constant(id), metadata };
  return fc.oneof(
    fc.record(
      { ...names, status: v01Status, final: fc.boolean() },
      { noNullPrototype: true, requiredKeys: ["id", "status", "final"] },
    ),
    fc.record(
      {
        ...names,
        artifact: fc.record(
          { ...v01Artifact, index: fc.nat(5), append: fc.boolean(), lastChunk: fc.boolean() },
          { noNullPrototype: true, requiredKeys: ["parts", "index"] },
        ),
      },
      { noNullPrototype: true, requiredKeys: ["id", "artifact"] },
    ),
  );
}

/** The params of `tasks/send`. */
export const v01SendParams = fc.record(
  {
    id: text,
    sessionId: text,
    message: v01Message,
    acceptedOutputModes: texts,
    pushNotification: v01PushConfig.map((it) => it.pushNotificationConfig),
    historyLength: fc.nat(100),
    metadata,
  },
  { noNullPrototype: true, requiredKeys: ["id", "message"] },
);

/** The params of `message/send`, which say whether they wait. */
export const v03SendParams = fc.record(
  {
    message: v03Message,
    configuration: fc.record(
      {
        acceptedOutputModes: texts,
        blocking: fc.boolean(),
        historyLength: fc.nat(100),
        pushNotificationConfig: v03PushConfig.map((it) => it.pushNotificationConfig),
      },
      { noNullPrototype: true, requiredKeys: ["blocking"] },
    ),
    metadata,
  },
  { noNullPrototype: true, requiredKeys: ["message", "configuration"] },
);
