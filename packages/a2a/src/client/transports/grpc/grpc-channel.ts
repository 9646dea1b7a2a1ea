import { isIP, isIPv4 } from "node:net";
import { getCACertificates } from "node:tls";
import { type ChannelCredentials, Client, connectivityState, credentials } from "@grpc/grpc-js";
import { EgressRefusedError } from "../../../egress/egress-errors.ts";
import { defaultLimits, type EgressPolicy } from "../../../egress/egress-policy.ts";
import { type EgressTarget, resolveTarget } from "../../../egress/egress-target.ts";
import type { ExchangeLife } from "../../../egress/exchange-life.ts";
import { AgentUnreachableError } from "../../client-errors.ts";

export interface GrpcChannelOptions {
  readonly policy: EgressPolicy;
  readonly messageBytes: number;
  readonly life: ExchangeLife;
}

/**
 * A connection of its own for one call, as every request over HTTP has: checked, pinned to the checked addresses,
 * asking no resolver and no proxy. It is ready when it is returned, so what fails here was never sent.
 */
export async function openGrpcChannel(
  url: string,
  { policy, messageBytes, life }: GrpcChannelOptions,
): Promise<Client> {
  const connected = life.limit("connecting", policy.limits?.connect ?? defaultLimits.connect);
  const target = await life.race(grpcTarget(url, policy));
  for (const pinned of pinnedTo(target)) {
    const client = new Client(pinned, channelCredentials(target, policy), {
      ...names(target),
      "grpc.enable_http_proxy": 0,
      "grpc.enable_retries": 0,
      "grpc.max_receive_message_length": messageBytes,
      // Otherwise channels to one address share a connection, and one that was closed would live on in another.
      "grpc.use_local_subchannel_pool": 1,
    });
    try {
      if (await life.race(isReady(client))) {
        connected();
        return client;
      }
      client.close();
    } catch (error) {
      client.close();
      throw error;
    }
  }
  throw new AgentUnreachableError(target.url.origin, false, new Error("None of its addresses answers"));
}

/** The addresses as gRPC writes them, one family at a time; the one that the resolver prefers comes first. */
function pinnedTo({ addresses, port }: EgressTarget): string[] {
  const four = addresses.filter(isIPv4).map((address) => `${address}:${port}`);
  const six = addresses.filter((address) => !isIPv4(address)).map((address) => `[${address}]:${port}`);
  const pinned = [four.length > 0 ? `ipv4:${four}` : "", six.length > 0 ? `ipv6:${six}` : ""];
  const ordered = isIPv4(addresses[0] ?? "") ? pinned : pinned.toReversed();
  return ordered.filter((it) => it !== "");
}

function names({ url, host, port }: EgressTarget): Record<string, string> {
  const authority = { "grpc.default_authority": `${url.hostname}:${port}` };
  // A certificate names a host without the dot that ends a full name, and SNI knows no addresses.
  return isIP(host) === 0
    ? { ...authority, "grpc.ssl_target_name_override": host.replace(/\.$/, "") }
    : authority;
}

function channelCredentials({ url }: EgressTarget, policy: EgressPolicy): ChannelCredentials {
  if (url.protocol === "http:") return credentials.createInsecure();
  const { certificateAuthorities: own } = policy;
  const trusted = own && Buffer.from([...getCACertificates("default"), ...own].join("\n"));
  // Said aloud, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise take it away.
  return credentials.createSsl(trusted ?? null, null, null, { rejectUnauthorized: true });
}

/** Whether the connection came about; false as soon as every address has failed. */
async function isReady(client: Client): Promise<boolean> {
  const channel = client.getChannel();
  for (;;) {
    const state = channel.getConnectivityState(true);
    if (state === connectivityState.READY) return true;
    if (state === connectivityState.TRANSIENT_FAILURE || state === connectivityState.SHUTDOWN) return false;
    await new Promise<void>((resolve) => {
      channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => resolve());
    });
  }
}

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
