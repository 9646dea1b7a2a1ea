export type { AgentCard, AgentSkill } from "../cards/agent-card.ts";
export type { AgentEndpoint } from "../cards/card-endpoints.ts";
export type { CardFinding } from "../cards/card-findings.ts";
export { CardSignatureError } from "../cards/card-verification.ts";
export type { CardTrust, PinnedKey } from "../cards/trusted-keys.ts";
export type { EgressPolicy } from "../egress/egress-policy.ts";
export { A2AClient } from "./a2a-client.ts";
export { AgentCards, type AgentCardsOptions, type DiscoveredAgent, type FindOptions } from "./agent-cards.ts";
export * from "./client-errors.ts";
export {
  type ArtifactFact,
  type ClientObserver,
  type ReconnectFact,
  type RetryFact,
  silentClientObserver,
} from "./client-observer.ts";
export type {
  A2AClientOptions,
  CallOptions,
  ConnectOptions,
  SendOptions,
  SubscribeOptions,
} from "./client-options.ts";
export { type ClientLimits, defaultClientLimits } from "./client-options.ts";
export { type Credential, type Credentials, chosenSchemes } from "./credentials.ts";
export { isTemporary } from "./retrying.ts";
export type { StreamedEvent } from "./streams/resumable-stream.ts";
export type { Gap } from "./streams/task-tracker.ts";
export type { ClientCredentials } from "./token-source.ts";
export { type LocalAgent, localTransport } from "./transports/local-transport.ts";
export type {
  StreamCall,
  StreamFrame,
  StreamOperation,
  Transport,
  TransportCall,
  TransportFactory,
  TransportSettings,
} from "./transports/transport.ts";
