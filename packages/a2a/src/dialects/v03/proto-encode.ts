import { AgentCard as SdkAgentCard } from "@a2a-js/sdk";
import type { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import type {
  Artifact,
  Json,
  Message,
  Metadata,
  Part,
  PushConfig,
  StreamResponse,
  Task,
  TaskStatus,
} from "../../protocol/model.ts";
import type { OperationResults, SendAnswer, UnaryOperation } from "../dialect.ts";
import { takeNotes } from "../incomplete-status.ts";
import { encodeLegacyPart } from "../legacy-parts.ts";
import { endsStream } from "../legacy-states.ts";
import { protoRole, protoState } from "./proto-json.ts";

// The SDK exports only the service; the messages of package a2a.v1 are what its methods return.
type Service = typeof LegacyA2AService;
type Answer<M extends keyof Service> = Parameters<Service[M]["responseSerialize"]>[0];

type ProtoTask = Answer<"getTask">;
type ProtoSendResponse = Answer<"sendMessage">;
type ProtoEvent = Answer<"sendStreamingMessage">;
type ProtoCard = Answer<"getAgentCard">;
type ProtoPushConfig = Answer<"getTaskPushNotificationConfig">;
type ProtoStatus = NonNullable<ProtoTask["status"]>;
type ProtoMessage = NonNullable<ProtoStatus["update"]>;
type ProtoArtifact = ProtoTask["artifacts"][number];
type ProtoPart = ProtoArtifact["parts"][number];

/** What each operation answers with, as a message of package a2a.v1. */
export const protoResults: { readonly [O in UnaryOperation]: (result: OperationResults[O]) => object } = {
  send: protoSendResponse,
  get: protoTask,
  list: ({ tasks }) => ({ tasks: tasks.map(protoTask) }),
  cancel: protoTask,
  createPush: protoPushConfig,
  getPush: protoPushConfig,
  listPush: ({ configs, nextPageToken }) => ({ configs: configs.map(protoPushConfig), nextPageToken }),
  deletePush: () => ({}),
  extendedCard: protoCard,
};

/** A task as a message of package a2a.v1. */
export function protoTask(task: Task): ProtoTask {
  const { withoutTime, metadata } = takeNotes(task.metadata);
  return {
    id: task.id,
    contextId: task.contextId,
    status: protoStatus(task.status, withoutTime),
    artifacts: (task.artifacts ?? []).map(protoArtifact),
    history: (task.history ?? []).map(protoMessage),
    metadata,
  };
}

function protoSendResponse(answer: SendAnswer): ProtoSendResponse {
  return "task" in answer
    ? { payload: { $case: "task", value: protoTask(answer.task) } }
    : { payload: { $case: "msg", value: protoMessage(answer.message) } };
}

/** An event as a message of package a2a.v1. */
export function protoEvent(event: StreamResponse): ProtoEvent {
  if ("artifactUpdate" in event) {
    const { taskId, contextId, artifact, append = false, lastChunk = false, metadata } = event.artifactUpdate;
    const value = { taskId, contextId, artifact: protoArtifact(artifact), append, lastChunk, metadata };
    return { payload: { $case: "artifactUpdate", value } };
  }
  if ("statusUpdate" in event) {
    const { taskId, contextId, status } = event.statusUpdate;
    const {
      withoutTime,
      final = endsStream(status.state),
      metadata,
    } = takeNotes(event.statusUpdate.metadata);
    const value = { taskId, contextId, status: protoStatus(status, withoutTime), final, metadata };
    return { payload: { $case: "statusUpdate", value } };
  }
  return protoSendResponse(event);
}

/** A push config as a message of package a2a.v1, under the name that it has there. */
export function protoPushConfig({
  id = "",
  taskId = "",
  url,
  token,
  authentication,
}: PushConfig): ProtoPushConfig {
  const scheme = authentication?.scheme;
  return {
    name: `tasks/${taskId}/pushNotificationConfigs/${id}`,
    pushNotificationConfig: {
      id,
      url,
      token: token ?? "",
      authentication: authentication && {
        schemes: scheme ? [scheme] : [],
        credentials: authentication.credentials ?? "",
      },
    },
  };
}

function protoStatus(status: TaskStatus, withoutTime: boolean): ProtoStatus {
  return {
    state: protoState(status.state),
    update: status.message && protoMessage(status.message),
    timestamp: withoutTime ? undefined : status.timestamp,
  };
}

/** A message as one of package a2a.v1. */
export function protoMessage(message: Message): ProtoMessage {
  return {
    messageId: message.messageId,
    contextId: message.contextId ?? "",
    taskId: message.taskId ?? "",
    role: protoRole(message.role),
    content: message.parts.map(protoPart),
    metadata: message.metadata,
    extensions: [...(message.extensions ?? [])],
  };
}

function protoArtifact(artifact: Artifact): ProtoArtifact {
  return {
    artifactId: artifact.artifactId,
    name: artifact.name ?? "",
    description: artifact.description ?? "",
    parts: artifact.parts.map(protoPart),
    metadata: artifact.metadata,
    extensions: [...(artifact.extensions ?? [])],
  };
}

/** The names of files and the metadata of parts are in the newer drawings of v0.3 only: ProtoJSON has room for them. */
type NewerPart = ProtoPart & { readonly metadata?: Metadata };

function protoPart(part: Part): NewerPart {
  const { text, raw, url, filename, mediaType } = part;
  if (raw !== undefined || url !== undefined) {
    const file =
      raw !== undefined
        ? { $case: "fileWithBytes" as const, value: Buffer.from(raw, "base64") }
        : { $case: "fileWithUri" as const, value: url ?? "" };
    const value = { file, mimeType: mediaType ?? "", ...(filename !== undefined && { name: filename }) };
    return { part: { $case: "file", value }, ...(part.metadata && { metadata: part.metadata }) };
  }
  // The dialect's own encoding knows how data that is no object travels, and where a text's file name goes.
  const { data, metadata } = encodeLegacyPart(part, "kind") as { data?: Metadata; metadata?: Metadata };
  const content =
    text !== undefined
      ? { $case: "text" as const, value: text }
      : { $case: "data" as const, value: { data } };
  return { part: content, ...(metadata && { metadata }) };
}

/** A card as a message of package a2a.v1: what v1.0 moved is put back to where it was. */
function protoCard(json: Json): ProtoCard {
  const card = SdkAgentCard.fromJSON(json);
  const { capabilities, supportedInterfaces } = card;
  const interfaces = supportedInterfaces.filter(({ protocolVersion }) => protocolVersion.startsWith("0.3"));
  const main = interfaces.find(({ protocolBinding }) => protocolBinding === "JSONRPC") ?? interfaces[0];
  return {
    protocolVersion: "0.3.0",
    name: card.name,
    description: card.description,
    url: main?.url ?? "",
    preferredTransport: main?.protocolBinding ?? "",
    additionalInterfaces: interfaces.map(({ url, protocolBinding }) => ({ url, transport: protocolBinding })),
    provider: card.provider,
    version: card.version,
    documentationUrl: card.documentationUrl ?? "",
    capabilities: {
      streaming: capabilities?.streaming ?? false,
      pushNotifications: capabilities?.pushNotifications ?? false,
      extensions: capabilities?.extensions ?? [],
    },
    // A flow that only v1.0 knows is written as none.
    securitySchemes: card.securitySchemes as ProtoCard["securitySchemes"],
    security: card.securityRequirements,
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map((skill) => ({ ...skill, security: skill.securityRequirements })),
    supportsAuthenticatedExtendedCard: capabilities?.extendedAgentCard ?? false,
    signatures: card.signatures,
  };
}
