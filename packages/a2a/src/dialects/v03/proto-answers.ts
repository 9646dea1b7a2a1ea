import { isObject } from "../../protocol/model.ts";
import type { EventDecoder, OperationResults, TaskNames, UnaryOperation } from "../dialect.ts";
import { v03Dialect } from "./dialect.ts";
import { legacyMessageOf, legacyPartOf, mapped, namedIn } from "./proto-content.ts";
import { legacyStateOf } from "./proto-enums.ts";

/** The answer of a v0.3 agent in ProtoJSON; the JSON of v0.3 is taken too, for agents of both kinds are about. */
export function decodeV03ProtoAnswer<O extends UnaryOperation>(
  operation: O,
  value: unknown,
): OperationResults[O] {
  return v03Dialect.decodeResult(operation, legacyAnswer(operation, value));
}

/** One decoder for each stream of a v0.3 agent in ProtoJSON. */
export function v03ProtoEventDecoder(task?: TaskNames): EventDecoder {
  const decode = v03Dialect.eventDecoder(task);
  return (value) => decode(legacyEventOf(value));
}

function legacyAnswer(operation: UnaryOperation, value: unknown): unknown {
  switch (operation) {
    case "send":
      return legacyEventOf(value);
    case "get":
    case "cancel":
      return legacyTaskOf(value);
    case "createPush":
    case "getPush":
      return legacyConfigOf(value);
    case "listPush":
      return mapped(isObject(value) ? (value.configs ?? []) : value, legacyConfigOf);
    case "list":
    case "deletePush":
    case "extendedCard":
      return value;
  }
}

/** The member says what it is; where there is none, the object says it itself by its `kind`. */
function legacyEventOf(value: unknown): unknown {
  if (!isObject(value) || "kind" in value) return value;
  const { task, message, msg = message, statusUpdate, artifactUpdate } = value;
  if (task !== undefined) return legacyTaskOf(task);
  if (msg !== undefined) return tagged("message", legacyMessageOf(msg));
  if (isObject(statusUpdate)) {
    return tagged("status-update", { ...statusUpdate, status: legacyStatusOf(statusUpdate.status) });
  }
  if (isObject(artifactUpdate)) {
    return tagged("artifact-update", {
      ...artifactUpdate,
      artifact: legacyArtifactOf(artifactUpdate.artifact),
    });
  }
  return value;
}

function legacyTaskOf(task: unknown): unknown {
  if (!isObject(task) || "kind" in task) return task;
  return tagged("task", {
    ...task,
    status: legacyStatusOf(task.status),
    artifacts: mapped(task.artifacts, legacyArtifactOf),
    history: mapped(task.history, legacyMessageOf),
  });
}

function legacyStatusOf(status: unknown): unknown {
  if (!isObject(status)) return status;
  const { state, update, message = update, ...rest } = status;
  return { ...rest, state: legacyStateOf(state), message: legacyMessageOf(message) };
}

function legacyArtifactOf(artifact: unknown): unknown {
  return isObject(artifact) ? { ...artifact, parts: mapped(artifact.parts, legacyPartOf) } : artifact;
}

function legacyConfigOf(config: unknown): unknown {
  if (!isObject(config) || "taskId" in config) return config;
  return { ...config, taskId: namedIn(config.name).id };
}

function tagged(kind: string, value: unknown): unknown {
  return isObject(value) ? { ...value, kind } : value;
}
