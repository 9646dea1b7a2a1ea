import { peerCard } from "../../peers/peer-card.ts";
import { startPeerServer } from "../../peers/peer-server.ts";

/** An agent with false claims in its card: it supports only v0.3 over JSON-RPC, and only sending messages. */
export function startLyingPeer() {
  return startPeerServer({
    card(path, url) {
      if (path !== "/.well-known/agent-card.json") return undefined;
      const elsewhere = {
        url: "https://elsewhere.example/a2a",
        protocolBinding: "JSONRPC",
        protocolVersion: "1.0",
      };
      return {
        ...peerCard(url, { name: "liar", dialect: "1.0" }),
        capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
        supportedInterfaces: [
          { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
          { url: "http://127.0.0.1:1/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
          { url: "127.0.0.1:1", protocolBinding: "GRPC", protocolVersion: "1.0" },
          { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
          elsewhere,
        ],
      };
    },
    answer(call) {
      if (call.method === "tasks/get") return call.error(-32001, "There is no such task");
      if (call.method !== "message/send") return call.error(-32601, `There is no method ${call.method}`);
      const parts = [{ kind: "text", text: "Just a word" }];
      return call.result({ kind: "message", messageId: "m", role: "agent", parts });
    },
  });
}
