export { CAIPE_TOKENS, startCaipePeer } from "./caipe-peer.ts";
export { FAULTS, FAULTY_TEXT, type Fault, startFaultyPeer } from "./faulty-peers.ts";
export type { Peer, PeerOptions } from "./peer.ts";
export type { PeerDialect } from "./peer-card.ts";
export {
  numberedTokens,
  startAskingPeer,
  startEndlessPeer,
  startFailingPeer,
  startFilePeer,
  startMessagePeer,
  startSlowPeer,
  startV01Peer,
} from "./plain-peers.ts";
export { type Steps, startScriptedPeer } from "./scripted-peer.ts";
export { SDK_TOKENS, type SdkPeerOptions, startLegacySdkPeer, startSdkPeer } from "./sdk-peers.ts";
export { startTaskPeer } from "./task-peer.ts";
