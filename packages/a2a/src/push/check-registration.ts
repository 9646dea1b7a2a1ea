import { EgressError, EgressRefusedError, type RefusalReason } from "../egress/egress-errors.ts";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import { checkTarget } from "../egress/egress-target.ts";
import { A2AError } from "../protocol/errors.ts";
import type { PushConfig } from "../protocol/model.ts";

const ID = /^[^\p{Cc}]{1,200}$/u;
const HEADER_VALUE = /^[\x21-\x7e]([\x20-\x7e]{0,4094}[\x21-\x7e])?$/;
const SCHEME = /^[\w!#$%&'*+.^`|~-]{0,64}$/;
const MAX_URL_LENGTH = 2_000;
const RESOLVE_WITHIN_MS = 500;

/** Errors whose details are for operators only: a caller must not learn what names resolve to in our network. */
const HIDDEN: Partial<Readonly<Record<RefusalReason, string>>> = {
  address: "must lead to a public address; the agent's operator can allow others",
  "plain-http": "must begin with https; the agent's operator can allow http",
};

/** Refuses, as InvalidParams with the field, a push config that could never be delivered to. */
export async function checkRegistration(config: PushConfig, policy: EgressPolicy): Promise<void> {
  const { id, url, token, authentication } = config;
  if (id !== undefined && !(ID.test(id) && id.isWellFormed())) refuse("id", "must be up to 200 characters");
  if (url.length > MAX_URL_LENGTH) refuse("url", `must be up to ${MAX_URL_LENGTH} characters`);
  checkHeader("token", token);
  checkHeader("authentication.credentials", authentication?.credentials);
  if (!SCHEME.test(authentication?.scheme ?? "")) refuse("authentication.scheme", "must be one word");
  await checkUrl(url, policy);
}

// A name that does not resolve just now is no reason to refuse: at each delivery the guard looks again.
async function checkUrl(url: string, policy: EgressPolicy): Promise<void> {
  const connect = Math.min(policy.limits?.connect ?? RESOLVE_WITHIN_MS, RESOLVE_WITHIN_MS);
  try {
    await checkTarget(url, { ...policy, limits: { ...policy.limits, connect } });
  } catch (error) {
    if (error instanceof EgressRefusedError) refuse("url", HIDDEN[error.reason] ?? error.message);
    if (!(error instanceof EgressError)) throw error;
  }
}

function checkHeader(field: string, value: string | undefined): void {
  if (value !== undefined && !HEADER_VALUE.test(value)) {
    refuse(field, "must be up to 4096 printable ASCII characters, because it is sent as a header");
  }
}

function refuse(field: string, why: string): never {
  throw new A2AError("InvalidParams", `${field}: ${why}`, { field });
}
