import type { DialectVersion } from "../dialects/dialect.ts";
import { isAllowed, loopbackBlocks } from "../egress/address-rules.ts";
import { isObject } from "../protocol/model.ts";
import { type AgentInterface, type ProtocolBinding, protocolBindings } from "./agent-card.ts";
import type { CardFindings, JsonObject } from "./card-findings.ts";

/** A way to speak to an agent that we know how to use. */
export interface AgentEndpoint {
  readonly url: string;
  readonly binding: ProtocolBinding;
  readonly dialect: DialectVersion;
  readonly tenant?: string;
}

/** The names under which agents publish the bindings, beside the right ones. */
const bindingNames: Readonly<Record<string, ProtocolBinding>> = {
  "JSON-RPC": "JSONRPC",
  JSON_RPC: "JSONRPC",
  HTTP: "HTTP+JSON",
  REST: "HTTP+JSON",
  HTTP_JSON: "HTTP+JSON",
  "HTTP-JSON": "HTTP+JSON",
};

/** An interface and where in the card it stands. */
export interface DeclaredInterface {
  readonly declared: AgentInterface;
  readonly path: string;
}

/** The interfaces of a v1.0 card as they stand, in the card's order of preference. */
export function readInterfaces(card: JsonObject, findings: CardFindings): DeclaredInterface[] {
  return (findings.items(card, "supportedInterfaces", "$") ?? []).flatMap((item, index) => {
    const path = `$.supportedInterfaces[${index}]`;
    if (!isObject(item)) {
      findings.error(path, "it is not an object");
      return [];
    }
    const tenant = findings.text(item, "tenant", path);
    const declared = {
      url: findings.requiredText(item, "url", path),
      protocolBinding: findings.requiredText(item, "protocolBinding", path),
      protocolVersion: findings.requiredText(item, "protocolVersion", path),
      ...(tenant === undefined || tenant === "" ? {} : { tenant }),
    };
    return { declared, path };
  });
}

/** The endpoint of an interface, or nothing when we do not speak its binding or version. */
export function endpointOf(
  { declared, path }: DeclaredInterface,
  { source, findings }: { readonly source: string | undefined; readonly findings: CardFindings },
): AgentEndpoint | undefined {
  const binding = readBinding(declared.protocolBinding, path, findings);
  const dialect = dialectOf(declared.protocolVersion);
  if (dialect === undefined) {
    findings.warning(path, `we do not speak version ${JSON.stringify(declared.protocolVersion)}`);
  }
  const url = binding === undefined ? undefined : readUrl(declared.url, binding, { path, source, findings });
  if (binding === undefined || dialect === undefined || url === undefined) return undefined;
  return { url, binding, dialect, ...(declared.tenant === undefined ? {} : { tenant: declared.tenant }) };
}

function readBinding(name: string, path: string, findings: CardFindings): ProtocolBinding | undefined {
  const upper = name.toUpperCase();
  const binding = protocolBindings.find((it) => it === upper) ?? bindingNames[upper];
  if (binding === undefined) findings.warning(path, `we do not speak the binding ${JSON.stringify(name)}`);
  else if (binding !== name)
    findings.warning(path, `the binding ${JSON.stringify(name)} is called ${binding}`);
  return binding;
}

/** By major and minor number; v0.2 speaks like v0.3, a later v1 like v1.0, and nothing at all like v1.0. */
function dialectOf(version: string): DialectVersion | undefined {
  if (version === "") return "1.0";
  const [, major, minor] = /^v?(\d+)(?:\.(\d+))?/i.exec(version) ?? [];
  if (major === "1") return "1.0";
  if (major !== "0") return undefined;
  return Number(minor ?? 0) >= 2 ? "0.3" : "0.1";
}

function readUrl(
  text: string,
  binding: ProtocolBinding,
  { path, source, findings }: { path: string; source: string | undefined; findings: CardFindings },
): string | undefined {
  // gRPC targets are often written without a scheme.
  const [, barePort] = (binding === "GRPC" && /^[^/]+:(\d+)$/.exec(text)) || [];
  const isBare = barePort !== undefined;
  const url = isBare ? URL.parse(`http://${text}`) : URL.parse(text, source);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    findings.error(`${path}.url`, `${JSON.stringify(text)} is not an absolute http or https URL`);
    return undefined;
  }
  if (!isBare && URL.parse(text) === null)
    findings.warning(`${path}.url`, "it is relative, and taken from the card's own address");
  const origin = source === undefined ? null : URL.parse(source);
  if (origin !== null && isOwnMachine(url) && !(isOwnMachine(origin) && !isUnspecified(url))) {
    findings.warning(
      `${path}.url`,
      `${url.host} is the agent's own machine; ${origin.hostname} is called instead`,
    );
    url.hostname = origin.hostname;
  }
  if (isBare) return `${url.hostname}:${barePort}`;
  if (url.protocol === "http:" && !isOwnMachine(url)) {
    findings.warning(`${path}.url`, "it is not https");
  }
  return url.href === `${text}/` ? text : url.href;
}

function isOwnMachine(url: URL): boolean {
  const host = url.hostname.replace(/[[\]]/g, "");
  return isUnspecified(url) || /(^|\.)localhost\.?$/.test(host) || isAllowed(host, loopbackBlocks);
}

function isUnspecified(url: URL): boolean {
  return url.hostname === "0.0.0.0" || url.hostname === "[::]";
}
