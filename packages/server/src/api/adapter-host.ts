import type { AdapterHost } from "@parley/adapters";
import type { Identity } from "@parley/identity";
import { SECURITY_HEADERS } from "../http/answer-parts.ts";
import { heldAnswers } from "../http/held-answers.ts";
import type { Api } from "./api-options.ts";
import { callerName } from "./request-rates.ts";
import { readSession } from "./session-reading.ts";

/** What the adapters of other protocols get of the API. */
export function adapterHost(api: Api): AdapterHost {
  return {
    ...api,
    securityHeaders: SECURITY_HEADERS,
    reserveAnswer: (principal) => heldAnswers.make(callerName(principal)),
    readSession: (principal, state) => readSession(api.sessions, principal, state),
    noteRefusal(caller, target) {
      // Every request's identity was set by this server.
      const { role } = caller;
      api.notes?.note(caller as Identity, { action: "role.refused", target, details: { role } });
    },
  };
}
