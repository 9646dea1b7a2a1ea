export { CAIPE_TOKENS, type CaipePeerOptions, startCaipePeer } from "./caipe-peer.ts";
export { FAULTS, FAULTY_TEXT, type Fault, startFaultyPeer } from "./faulty-peers.ts";
export type { Peer, PeerOptions, PeerRequest, PeerSkill } from "./peer.ts";
export type { PeerDialect } from "./peer-card.ts";
export type { PeerTask, Script } from "./peer-task.ts";
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
export type { ScriptedEvents } from "./scripted-events.ts";
export { type ScriptedPeerOptions, type Step, type Steps, startScriptedPeer } from "./scripted-peer.ts";
export { SDK_TOKENS, type SdkPeerOptions, startLegacySdkPeer, startSdkPeer } from "./sdk-peers.ts";
export { startTaskPeer, type TaskPeerOptions } from "./task-peer.ts";
