import type { JsonObject, PeerOptions } from "./peer.ts";

/** The dialects that peers speak. */
export type PeerDialect = "1.0" | "0.3" | "0.1";

/** The path of a card in this dialect. */
export const CARD_PATHS: Readonly<Record<PeerDialect, string>> = {
  "1.0": "/.well-known/agent-card.json",
  "0.3": "/.well-known/agent-card.json",
  "0.1": "/.well-known/agent.json",
};

/** What a card says, and in which dialect. */
export interface CardOptions extends PeerOptions {
  readonly dialect: PeerDialect;
  readonly streaming?: boolean;
}

/** The card of an agent at this URL, as its dialect writes it. */
export function peerCard(url: string, options: CardOptions): JsonObject {
  const { dialect, streaming = true, name = "peer", description = `The agent ${name}` } = options;
  const { skills = [{ id: name, name, description, tags: [name] }] } = options;
  const about = { name, description, version: "1.0.0", skills: JSON.parse(JSON.stringify(skills)) };
  const capabilities = { streaming, pushNotifications: false };
  const modes = (mode: string) => ({ defaultInputModes: [mode], defaultOutputModes: [mode] });
  switch (dialect) {
    case "1.0": {
      const supportedInterfaces = [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
      return { ...about, ...modes("text/plain"), capabilities, supportedInterfaces };
    }
    case "0.3":
      return {
        ...{ ...about, ...modes("text/plain"), capabilities, url },
        ...{ protocolVersion: "0.3.0", preferredTransport: "JSONRPC" },
      };
    case "0.1":
      return {
        ...{ ...about, ...modes("text"), url },
        capabilities: { ...capabilities, stateTransitionHistory: false },
        authentication: { schemes: [] },
      };
  }
}
