import * as sdk from "@a2a-js/sdk";
import type { A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import type { OperationResults, UnaryOperation } from "../../dialects/dialect.ts";
import { v1Dialect } from "../../dialects/v1-dialect.ts";
import type { Json } from "../../protocol/model.ts";
import type { Caller } from "../../tasks/caller.ts";
import { admit } from "../admission.ts";
import type { AgentOperations } from "../agent-operations.ts";
import { checkAccess, readingSignal } from "../lost-access.ts";
import { openStream, type StreamCall } from "../open-stream.ts";
import { protocolError } from "../protocol-error.ts";
import { toSdkCard, toSdkPushConfig, toSdkPushConfigPage, toSdkTaskPage } from "./sdk-answers.ts";
import { toSdkError } from "./sdk-errors.ts";
import { toSdkEvent, toSdkMessage, toSdkTask } from "./sdk-objects.ts";

export interface JournalRequestHandlerOptions {
  readonly operations: AgentOperations;
  /** The card that the SDK's transports look into: what is declared there is what they let through. */
  readonly card: () => Json;
  /** On whose behalf a call is made. */
  readonly callerOf: (context: ServerCallContext) => Caller;
  /** Hears of errors that are not the caller's. */
  readonly report: (error: unknown) => void;
}

const read = v1Dialect.decodeRequest;

type SdkEvents = AsyncGenerator<sdk.StreamResponse, void, undefined>;

/** An agent's operations in the shape that every transport of the official SDK takes. */
export class JournalRequestHandler implements A2ARequestHandler {
  readonly #options: JournalRequestHandlerOptions;

  constructor(options: JournalRequestHandlerOptions) {
    this.#options = options;
  }

  async getAgentCard(): Promise<sdk.AgentCard> {
    return toSdkCard(this.#options.card());
  }

  async getAuthenticatedExtendedAgentCard(
    params: sdk.GetExtendedAgentCardRequest,
    context: ServerCallContext,
  ): Promise<sdk.AgentCard> {
    const request = sdk.GetExtendedAgentCardRequest.toJSON(params);
    return toSdkCard(await this.#unary("extendedCard", request, context));
  }

  async sendMessage(
    params: sdk.SendMessageRequest,
    context: ServerCallContext,
  ): Promise<sdk.Message | sdk.Task> {
    const answer = await this.#unary("send", sdk.SendMessageRequest.toJSON(params), context);
    return "task" in answer ? toSdkTask(answer.task) : toSdkMessage(answer.message);
  }

  sendMessageStream(params: sdk.SendMessageRequest, context: ServerCallContext): SdkEvents {
    const request = sdk.SendMessageRequest.toJSON(params);
    return this.#stream(() => ({ operation: "stream", request: read("stream", request) }), context);
  }

  async getTask(params: sdk.GetTaskRequest, context: ServerCallContext): Promise<sdk.Task> {
    return toSdkTask(await this.#unary("get", sdk.GetTaskRequest.toJSON(params), context));
  }

  async listTasks(params: sdk.ListTasksRequest, context: ServerCallContext): Promise<sdk.ListTasksResponse> {
    return toSdkTaskPage(await this.#unary("list", sdk.ListTasksRequest.toJSON(params), context));
  }

  async cancelTask(params: sdk.CancelTaskRequest, context: ServerCallContext): Promise<sdk.Task> {
    return toSdkTask(await this.#unary("cancel", sdk.CancelTaskRequest.toJSON(params), context));
  }

  resubscribe(params: sdk.SubscribeToTaskRequest, context: ServerCallContext): SdkEvents {
    const request = sdk.SubscribeToTaskRequest.toJSON(params);
    return this.#stream(() => ({ operation: "subscribe", request: read("subscribe", request) }), context);
  }

  async createTaskPushNotificationConfig(
    params: sdk.TaskPushNotificationConfig,
    context: ServerCallContext,
  ): Promise<sdk.TaskPushNotificationConfig> {
    const request = sdk.TaskPushNotificationConfig.toJSON(params);
    return toSdkPushConfig(await this.#unary("createPush", request, context));
  }

  async getTaskPushNotificationConfig(
    params: sdk.GetTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<sdk.TaskPushNotificationConfig> {
    const request = sdk.GetTaskPushNotificationConfigRequest.toJSON(params);
    return toSdkPushConfig(await this.#unary("getPush", request, context));
  }

  async listTaskPushNotificationConfigs(
    params: sdk.ListTaskPushNotificationConfigsRequest,
    context: ServerCallContext,
  ): Promise<sdk.ListTaskPushNotificationConfigsResponse> {
    const request = sdk.ListTaskPushNotificationConfigsRequest.toJSON(params);
    return toSdkPushConfigPage(await this.#unary("listPush", request, context));
  }

  async deleteTaskPushNotificationConfig(
    params: sdk.DeleteTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<void> {
    const request = sdk.DeleteTaskPushNotificationConfigRequest.toJSON(params);
    await this.#unary("deletePush", request, context);
  }

  async #unary<O extends UnaryOperation>(
    operation: O,
    params: unknown,
    context: ServerCallContext,
  ): Promise<OperationResults[O]> {
    const { operations, callerOf } = this.#options;
    try {
      const run = operations.unary[operation];
      return await run(admit(operations, operation, read(operation, params)), callerOf(context));
    } catch (error) {
      throw this.#sdkError(error);
    }
  }

  /** Ended early, it stops following at once and not only with the task's next event. */
  #stream(call: () => StreamCall, context: ServerCallContext): SdkEvents {
    const reader = new AbortController();
    const events = this.#events(call, context, reader.signal);
    const end = events.return.bind(events);
    events.return = (value) => {
      reader.abort();
      return end(value);
    };
    return events;
  }

  async *#events(call: () => StreamCall, context: ServerCallContext, signal: AbortSignal): SdkEvents {
    const { operations, callerOf } = this.#options;
    try {
      const caller = callerOf(context);
      using _place = operations.streams.take(caller.owner);
      const reading = readingSignal(caller, signal);
      const batches = await openStream(operations, call(), { caller, signal: reading });
      for await (const batch of batches) for (const { payload } of batch) yield toSdkEvent(payload);
      checkAccess(caller);
    } catch (error) {
      throw this.#sdkError(error);
    }
  }

  #sdkError(error: unknown): Error {
    return toSdkError(protocolError(error, this.#options.report));
  }
}
