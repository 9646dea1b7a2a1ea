import { type Peer, startScriptedPeer } from "../../peers/index.ts";
import { PORTS } from "./golden-scene.ts";
import { SLOWLY } from "./story-model.ts";

/** Its answer to a caller with the credential. */
export const LET_IN = "You are let in";
const FOR_EVER_MS = 600_000;

/** An external agent at a fixed address that requires a token; a slow one never finishes. */
export async function startGuardedPeer({ isSlow }: { readonly isSlow: boolean }): Promise<Peer> {
  const peer: Peer = await startScriptedPeer({
    name: "guarded",
    port: PORTS.guarded,
    card: (own) => ({
      ...own,
      securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "bearer" } } },
    }),
    *steps(say) {
      yield say.task("WORKING");
      yield say.piece(LET_IN);
      if (isSlow && peer.requests.at(-1)?.text.includes(SLOWLY)) yield { pause: FOR_EVER_MS };
      yield say.status("COMPLETED");
    },
  });
  return peer;
}
