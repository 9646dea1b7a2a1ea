import * as sdk from "@a2a-js/sdk/errors";
import { INTERNAL_MESSAGE } from "../../dialects/error-codes.ts";
import type { A2AError, A2AErrorKind } from "../../protocol/errors.ts";

type SdkErrorClass = new (options: { message: string; metadata: Record<string, string> }) => sdk.A2AError;

/** The SDK has one class for all that is wrong with a request, and none for what is wrong with us. */
const CLASSES: Readonly<Record<Exclude<A2AErrorKind, "Internal">, SdkErrorClass>> = {
  ParseError: sdk.RequestMalformedError,
  InvalidRequest: sdk.RequestMalformedError,
  MethodNotFound: sdk.UnsupportedOperationError,
  InvalidParams: sdk.RequestMalformedError,
  TaskNotFound: sdk.TaskNotFoundError,
  TaskNotCancelable: sdk.TaskNotCancelableError,
  PushNotificationNotSupported: sdk.PushNotificationNotSupportedError,
  UnsupportedOperation: sdk.UnsupportedOperationError,
  ContentTypeNotSupported: sdk.ContentTypeNotSupportedError,
  InvalidAgentResponse: sdk.InvalidAgentResponseError,
  ExtendedAgentCardNotConfigured: sdk.ExtendedAgentCardNotConfiguredError,
  ExtensionSupportRequired: sdk.ExtensionSupportRequiredError,
  VersionNotSupported: sdk.VersionNotSupportedError,
};

/** An error of ours as the SDK's transports know it; of an internal one they learn nothing more. */
export function toSdkError({ kind, message, details }: A2AError): Error {
  if (kind === "Internal") return new Error(INTERNAL_MESSAGE);
  return new CLASSES[kind]({ message, metadata: { ...details } });
}
