import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { RequestListener } from "node:http";
import { type Credentials, NotAuthenticatedCallError, refuseCall } from "@parley/a2a";
import { vouchFor } from "../http/connections.ts";

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

/** The keys by which this platform shows its own agents that a call is its own: none opens another agent. */
export class InternalKeys {
  readonly #key: Buffer;

  /** `key`: random bytes that are the platform's alone. */
  constructor(key: Buffer) {
    this.#key = key;
  }

  of(agent: string): InternalKey {
    return new InternalKey(createHmac("sha256", this.#key).update(`agent\0${agent}`).digest("base64url"));
  }
}

/** The key by which this platform shows one of its agents that a call is its own. */
export class InternalKey {
  /** For an agent that is a program, which has to ask for it itself. */
  readonly secret: string;

  constructor(secret: string) {
    this.secret = secret;
  }

  /** What the platform's clients show. */
  get credentials(): Credentials {
    return { [SCHEME]: { kind: "bearer", token: this.secret } };
  }

  /** Lets only the platform's own calls through, and whoever looks for the card. */
  readonly admit = (routes: RequestListener): RequestListener => {
    return (request, response) => {
      const isCard = /^\/\.well-known\/(agent-card|agent)\.json$/.test(request.url ?? "");
      const isShown = this.#isShown(request.headers.authorization ?? "");
      if (isShown) vouchFor(request, response);
      if (isCard || isShown) return routes(request, response);
      request.resume();
      const reason = "This agent works for its supervisor alone: send your message there, on the main port";
      refuseCall(request, response, new NotAuthenticatedCallError(reason));
    };
  };

  // Of two hashes, so that they are always equally long.
  #isShown(header: string): boolean {
    const [shown, own] = [header, `Bearer ${this.secret}`].map((text) =>
      createHash("sha256").update(text).digest(),
    ) as [Buffer, Buffer];
    return timingSafeEqual(shown, own);
  }
}
