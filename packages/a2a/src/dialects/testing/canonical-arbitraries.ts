import fc from "fast-check";
import { RUN_EXTENSION } from "../../extension/extension-member.ts";
import type {
  Artifact,
  ListTasksResponse,
  Message,
  Metadata,
  Part,
  PushConfig,
  SendRequest,
  StreamResponse,
  Task,
  TaskState,
  TaskStatus,
} from "../../protocol/model.ts";

/** A text that is not empty: in ProtoJSON an empty one is an absent one. */
export const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });

const texts = fc.array(text, { maxLength: 3 });
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));

/** Metadata with anything in it, sometimes with our own extension, never empty. */
export const metadata: fc.Arbitrary<Metadata> = fc
  .tuple(
    fc.dictionary(
      text.filter((name) => name !== "__proto__"),
      json,
      { minKeys: 1, maxKeys: 3, noNullPrototype: true },
    ),
    fc.option(json, { nil: undefined }),
  )
  .map(([own, usage]) => (usage === undefined ? own : { ...own, [RUN_EXTENSION]: { usage } }));

/** Base64 of some bytes. */
export const base64 = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("base64"));

/** A time of our century, in UTC. */
export const time = fc
  .date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());

const described = { filename: text, mediaType: text, metadata };

/** A part of every sort. */
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record(
    { text: fc.string({ unit: "grapheme" }), ...described },
    { noNullPrototype: true, requiredKeys: ["text"] },
  ),
  fc.record({ raw: base64, ...described }, { noNullPrototype: true, requiredKeys: ["raw"] }),
  fc.record({ url: fc.webUrl(), ...described }, { noNullPrototype: true, requiredKeys: ["url"] }),
  fc.record({ data: json, ...described }, { noNullPrototype: true, requiredKeys: ["data"] }),
);

const parts = fc.array(part, { minLength: 1, maxLength: 3 });

/** A message of either role. */
export const message: fc.Arbitrary<Message> = fc.record(
  {
    messageId: text,
    contextId: text,
    taskId: text,
    role: fc.constantFrom("ROLE_USER", "ROLE_AGENT"),
    parts,
    metadata,
    extensions: texts,
    referenceTaskIds: texts,
  },
  { noNullPrototype: true, requiredKeys: ["messageId", "role", "parts"] },
);

/** An artifact, or a piece of one. */
const artifact: fc.Arbitrary<Artifact> = fc.record(
  { artifactId: text, name: text, description: text, parts, metadata, extensions: texts },
  { noNullPrototype: true, requiredKeys: ["artifactId", "parts"] },
);

/** Every state there is. */
const state = fc.constantFrom<TaskState>(
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_AUTH_REQUIRED",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
);

/** A status with its time. */
const status: fc.Arbitrary<TaskStatus> = fc.record(
  { state, message, timestamp: time },
  { noNullPrototype: true, requiredKeys: ["state", "timestamp"] },
);

/** A task with everything that a task can have. */
export const task: fc.Arbitrary<Task> = fc.record(
  {
    id: text,
    contextId: text,
    status,
    artifacts: fc.uniqueArray(artifact, { selector: (it) => it.artifactId, maxLength: 3 }),
    history: fc.array(message, { maxLength: 3 }),
    metadata,
  },
  { noNullPrototype: true, requiredKeys: ["id", "contextId", "status"] },
);

/** An update of the status or of an artifact, which says whether it appends. */
export function update(taskId: string, contextId: string): fc.Arbitrary<StreamResponse> {
  const names = { taskId: fc.constant(taskId), contextId: fc.constant(contextId) };
  const statusUpdate = fc.record(
    { ...names, status, metadata },
    { noNullPrototype: true, requiredKeys: ["taskId", "contextId", "status"] },
  );
  const artifactUpdate = fc.record(
    { ...names, artifact, append: fc.boolean(), lastChunk: fc.boolean(), metadata },
    { noNullPrototype: true, requiredKeys: ["taskId", "contextId", "artifact", "append"] },
  );
  return fc.oneof(
    statusUpdate.map((it) => ({ statusUpdate: it })),
    artifactUpdate.map((it) => ({ artifactUpdate: it })),
  );
}

/** A whole stream: the task, then its updates. */
export const taskStream: fc.Arbitrary<StreamResponse[]> = task.chain((first) =>
  fc
    .array(update(first.id, first.contextId), { maxLength: 6 })
    .map((updates): StreamResponse[] => [{ task: first }, ...updates]),
);

/** A push config of a task. */
export const pushConfig: fc.Arbitrary<PushConfig & { taskId: string }> = fc.record(
  {
    id: text,
    taskId: text,
    url: fc.webUrl(),
    token: text,
    authentication: fc.record(
      { scheme: text, credentials: text },
      { noNullPrototype: true, requiredKeys: ["scheme"] },
    ),
  },
  { noNullPrototype: true, requiredKeys: ["taskId", "url"] },
);

/** A page of tasks. */
export const listResponse: fc.Arbitrary<ListTasksResponse> = fc.record(
  {
    tasks: fc.array(task, { maxLength: 2 }),
    nextPageToken: fc.oneof(fc.constant(""), text),
    pageSize: fc.nat(100),
    totalSize: fc.nat(1000),
  },
  { noNullPrototype: true },
);

const configuration = fc
  .record(
    {
      acceptedOutputModes: texts,
      historyLength: fc.nat(50),
      returnImmediately: fc.constant(true),
      taskPushNotificationConfig: pushConfig.map(({ id: _, taskId: __, ...config }) => config),
    },
    { noNullPrototype: true, requiredKeys: [] },
  )
  .filter((it) => Object.keys(it).length > 0);

/** A message to send, for a task that is named. */
export const sendRequest: fc.Arbitrary<SendRequest> = fc
  .tuple(
    fc.record({ message, configuration, metadata }, { noNullPrototype: true, requiredKeys: ["message"] }),
    text,
  )
  .map(([request, taskId]) => ({ ...request, message: { ...request.message, taskId } }));
