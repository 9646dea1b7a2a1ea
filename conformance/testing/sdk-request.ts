import { Role, type SendMessageRequest } from "@a2a-js/sdk";

/** A request as the official SDK's client takes it: every member there, most of them empty. */
export function sdkRequest(messageId: string, tenant = ""): SendMessageRequest {
  const content = { $case: "text" as const, value: "hi" };
  return {
    tenant,
    message: {
      messageId,
      contextId: "",
      taskId: "",
      role: Role.ROLE_USER,
      parts: [{ content, metadata: undefined, filename: "", mediaType: "" }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  };
}
