import { EgressRefusedError } from "../../egress/egress-errors.ts";
import type { EgressPolicy } from "../../egress/egress-policy.ts";
import { type EgressTarget, resolveTarget } from "../../egress/egress-target.ts";

/**
 * Checks where a gRPC endpoint is. One that is written without a scheme, as `host:port`, is spoken to in the clear
 * only where the policy allows that, and by TLS everywhere else.
 */
export async function grpcTarget(url: string, policy: EgressPolicy): Promise<EgressTarget> {
  if (/^https?:/i.test(url)) return resolveTarget(url, policy);
  if (url.endsWith(":443")) return resolveTarget(`https://${url}`, policy);
  try {
    return await resolveTarget(`http://${url}`, policy);
  } catch (error) {
    if (!(error instanceof EgressRefusedError) || error.reason !== "plain-http") throw error;
    return resolveTarget(`https://${url}`, policy);
  }
}
