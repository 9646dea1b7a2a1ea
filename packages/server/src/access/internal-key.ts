import { createHash, timingSafeEqual } from "node:crypto";
import type { RequestListener } from "node:http";
import { type Credentials, NotAuthenticatedCallError, refuseCall } from "@parley/a2a";

/** What cards call the way to show who one is. */
const SCHEME = "parley";

/** How callers of ours show who they are, as cards say it. */
export const SECURITY = {
  securitySchemes: {
    [SCHEME]: {
      httpAuthSecurityScheme: {
        scheme: "Bearer",
        description: 'An API key of this Parley, which "parley keys create" makes',
      },
    },
  },
  securityRequirements: [{ schemes: { [SCHEME]: {} } }],
};

/** The key by which this platform shows its own agents that a call is its own. */
export class InternalKey {
  readonly #secret: string;

  /** `key`: random bytes that are the platform's alone. */
  constructor(key: Buffer) {
    this.#secret = createHash("sha256").update("internal\0").update(key).digest("base64url");
  }

  /** What the platform's clients show. */
  get credentials(): Credentials {
    return { [SCHEME]: { kind: "bearer", token: this.#secret } };
  }

  /** Lets only the platform's own calls through, and whoever looks for the card. */
  readonly admit = (routes: RequestListener): RequestListener => {
    return (request, response) => {
      const isCard = /^\/\.well-known\/(agent-card|agent)\.json$/.test(request.url ?? "");
      if (isCard || this.#isShown(request.headers.authorization ?? "")) return routes(request, response);
      request.resume();
      const reason = "This agent works for its supervisor alone: send your message there, on the main port";
      refuseCall(request, response, new NotAuthenticatedCallError(reason));
    };
  };

  // Of two hashes, so that they are always equally long.
  #isShown(header: string): boolean {
    const [shown, own] = [header, `Bearer ${this.#secret}`].map((text) =>
      createHash("sha256").update(text).digest(),
    ) as [Buffer, Buffer];
    return timingSafeEqual(shown, own);
  }
}
