import type { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";

/*
 * The messages of package a2a.v1 as the SDK's generated code has them. It exports the service alone; the messages are
 * what its methods take and return.
 */
type Service = typeof LegacyA2AService;
type Answer<M extends keyof Service> = Parameters<Service[M]["responseSerialize"]>[0];

export type ProtoTask = Answer<"getTask">;
export type ProtoSendResponse = Answer<"sendMessage">;
export type ProtoEvent = Answer<"sendStreamingMessage">;
export type ProtoCard = Answer<"getAgentCard">;
export type ProtoPushConfig = Answer<"getTaskPushNotificationConfig">;
export type ProtoPushConfigPage = Answer<"listTaskPushNotificationConfig">;
export type ProtoStatus = NonNullable<ProtoTask["status"]>;
export type ProtoMessage = NonNullable<ProtoStatus["update"]>;
export type ProtoArtifact = ProtoTask["artifacts"][number];
export type ProtoPart = ProtoArtifact["parts"][number];
