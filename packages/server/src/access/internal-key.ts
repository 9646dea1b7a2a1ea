import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { RequestListener } from "node:http";
import { type Credentials, NotAuthenticatedCallError, refuseCall } from "@parley/a2a";
import { vouchFor } from "../http/connections.ts";

/** The name of the security scheme in agent cards. */
const SCHEME = "parley";

/** The security schemes and requirements in agent cards. */
export const SECURITY = {
  securitySchemes: {
    [SCHEME]: {
      httpAuthSecurityScheme: {
        scheme: "Bearer",
        description: 'An API key of this Parley, created by "parley keys create"',
      },
    },
  },
  securityRequirements: [{ schemes: { [SCHEME]: {} } }],
};

/** Derives a key for each hosted agent, by which it recognises calls of its own platform. */
export class InternalKeys {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  of(agent: string): InternalKey {
    return new InternalKey(createHmac("sha256", this.#key).update(`agent\0${agent}`).digest("base64url"));
  }
}

/** Authenticates the platform's calls to one hosted agent. */
export class InternalKey {
  /** For program agents, which check it themselves. */
  readonly secret: string;

  constructor(secret: string) {
    this.secret = secret;
  }

  get credentials(): Credentials {
    return { [SCHEME]: { kind: "bearer", token: this.secret } };
  }

  /** Admits the platform's own calls, and requests for the public card. */
  readonly admit = (routes: RequestListener): RequestListener => {
    return (request, response) => {
      const isCard = /^\/\.well-known\/(agent-card|agent)\.json$/.test(request.url ?? "");
      const isValid = this.#isValid(request.headers.authorization ?? "");
      if (isValid) vouchFor(request, response);
      if (isCard || isValid) return routes(request, response);
      request.resume();
      const reason = "This agent accepts calls of its supervisor only; send your message to the main port";
      refuseCall(request, response, new NotAuthenticatedCallError(reason));
    };
  };

  // Compares hashes, which always have the same length.
  #isValid(header: string): boolean {
    const [given, expected] = [header, `Bearer ${this.secret}`].map((text) =>
      createHash("sha256").update(text).digest(),
    ) as [Buffer, Buffer];
    return timingSafeEqual(given, expected);
  }
}
