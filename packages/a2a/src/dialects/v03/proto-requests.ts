import { isObject } from "../../protocol/model.ts";
import type { Operation, OperationRequests } from "../dialect.ts";
import { v03Dialect } from "./dialect.ts";
import { legacyMessageOf, type Members, namedIn } from "./proto-content.ts";

/**
 * The request of a v0.3 call from ProtoJSON, where ids that a path names stand as members of their own. The JSON of
 * v0.3 is taken too, for clients of both kinds are about; what is neither is left as it is, for the dialect to refuse.
 */
export function decodeV03ProtoRequest<O extends Operation>(
  operation: O,
  params: unknown,
): OperationRequests[O] {
  const members: Members = isObject(params) ? params : {};
  switch (operation) {
    case "send":
    case "stream":
      return v03Dialect.decodeRequest(operation, sendParams(members));
    case "createPush":
      return v03Dialect.decodeRequest(operation, createPushParams(members));
    default:
      return v03Dialect.decodeRequest(operation, { ...namedIn(members.name ?? members.parent), ...members });
  }
}

function sendParams({ message, request = message, configuration, ...others }: Members): Members {
  if (!isObject(request) || "parts" in request) return { ...others, message: request, configuration };
  return {
    ...others,
    message: legacyMessageOf(request),
    ...(isObject(configuration) && { configuration: configurationOf(configuration) }),
  };
}

// In protobuf a flag that is not set is false, and a length of 0 is none.
function configurationOf(configuration: Members): Members {
  const { blocking = false, pushNotification, push_notification = pushNotification } = configuration;
  const { historyLength, history_length = historyLength, acceptedOutputModes } = configuration;
  const { accepted_output_modes = acceptedOutputModes } = configuration;
  return {
    acceptedOutputModes: accepted_output_modes,
    blocking,
    pushNotificationConfig: push_notification ?? configuration.pushNotificationConfig,
    ...(history_length !== 0 && { historyLength: history_length }),
  };
}

/** The config may stand alone, in its resource or in a request around that: clients and servers of v0.3 differ. */
function createPushParams(members: Members): Members {
  const { parent, config, name } = members;
  const resource: Members = isObject(config) ? config : members;
  const { pushNotificationConfig = resource.push_notification_config } = resource;
  const { id: taskId } = { ...namedIn(parent ?? name ?? resource.name), ...members };
  return { taskId, pushNotificationConfig };
}
