import type { DeclaredInterface } from "./card-endpoints.ts";
import { type CardFindings, isJsonObject, type JsonObject } from "./card-findings.ts";

/** The address and the additional interfaces of a card before v1.0, as v1.0 writes them. */
export function readLegacyInterfaces(
  card: JsonObject,
  findings: CardFindings,
  source: string | undefined,
): DeclaredInterface[] {
  const url = findings.text(card, "url", "$");
  if (url === undefined) return [];
  const protocolBinding = findings.text(card, "preferredTransport", "$") ?? "JSONRPC";
  const found = [{ url, protocolBinding, path: "$" }, ...readAdditional(card, findings)];
  return protocolVersions(card, findings, source).flatMap((protocolVersion) =>
    found.map(({ path, ...it }) => ({ declared: { ...it, protocolVersion }, path })),
  );
}

function readAdditional(card: JsonObject, findings: CardFindings) {
  return (findings.items(card, "additionalInterfaces", "$") ?? []).flatMap((item, index) => {
    const path = `$.additionalInterfaces[${index}]`;
    if (!isJsonObject(item)) {
      findings.error(path, "it is not an object");
      return [];
    }
    const protocolBinding = findings.requiredText(item, "transport", path);
    return { url: findings.requiredText(item, "url", path), protocolBinding, path };
  });
}

/** The version the card names, or the ones that it may be in, the likelier first. */
function protocolVersions(card: JsonObject, findings: CardFindings, source: string | undefined): string[] {
  const named = findings.text(card, "protocolVersion", "$");
  if (named !== undefined && named !== "") return [named];
  const modern = ["preferredTransport", "additionalInterfaces", "securitySchemes", "security", "signatures"];
  const isModern = modern.some((name) => card[name] !== undefined && card[name] !== null);
  const versions = isModern && !isFirst(card) ? ["0.3"] : isFirst(card) ? ["0.1", "0.3"] : ["0.3", "0.1"];
  // A card before v0.2.6 has no version to name, so one at the old address has done nothing wrong.
  const message = `it names no version of the protocol; v${versions.join(", then v")} will be tried`;
  if (source?.endsWith("/agent.json")) findings.warning("$.protocolVersion", message);
  else findings.error("$.protocolVersion", message);
  return versions;
}

/** v0.1 has `authentication`, and its modes are words like `text` rather than media types. */
function isFirst(card: JsonObject): boolean {
  const modes = [card.defaultInputModes, card.defaultOutputModes].flatMap((it) =>
    Array.isArray(it) ? it : [],
  );
  return (
    isJsonObject(card.authentication) || modes.some((mode) => typeof mode === "string" && !mode.includes("/"))
  );
}
