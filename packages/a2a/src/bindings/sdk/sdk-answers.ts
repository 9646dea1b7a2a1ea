import {
  AgentCard,
  type AgentCard as SdkAgentCard,
  type TaskPushNotificationConfig as SdkPushConfig,
  type ListTaskPushNotificationConfigsResponse as SdkPushConfigPage,
  type ListTasksResponse as SdkTaskPage,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import type { PushConfigPage } from "../../dialects/dialect.ts";
import type { Json, ListTasksResponse, PushConfig } from "../../protocol/model.ts";
import { toSdkTask } from "./sdk-objects.ts";

/** A page of tasks as the SDK's generated code has it. */
export function toSdkTaskPage({ tasks, ...page }: ListTasksResponse): SdkTaskPage {
  return { ...page, tasks: tasks.map(toSdkTask) };
}

/** A push config as the SDK's generated code has it. */
export function toSdkPushConfig(config: PushConfig): SdkPushConfig {
  return TaskPushNotificationConfig.fromJSON(config);
}

/** A page of push configs as the SDK's generated code has it. */
export function toSdkPushConfigPage({ configs, nextPageToken }: PushConfigPage): SdkPushConfigPage {
  return { configs: configs.map(toSdkPushConfig), nextPageToken };
}

/** A card as the SDK's generated code has it. */
export function toSdkCard(card: Json): SdkAgentCard {
  return AgentCard.fromJSON(card);
}
