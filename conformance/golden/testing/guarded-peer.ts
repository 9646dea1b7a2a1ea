import { type Peer, startScriptedPeer } from "../../peers/index.ts";
import { PORTS } from "./golden-scene.ts";
import { SLOWLY } from "./story-model.ts";

/** What it says to whoever has the credential. */
export const LET_IN = "You are let in";
const FOR_EVER_MS = 600_000;

/** An agent elsewhere, always at the same address, that wants a token; slow, it never gets to the end. */
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
