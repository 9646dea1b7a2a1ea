import { isObject } from "@parley/a2a";
import {
  type CardDocument,
  CardSignatureError,
  keySetFetcher,
  readSignatureHeader,
  verifyCard,
} from "@parley/a2a/checks";
import { beside, right, wrong } from "../check.ts";
import type { Examination } from "../examination.ts";
import { mainCard } from "../probes/cards.ts";
import { agentCheck, checksOf } from "./define.ts";

/** Whether the card is signed, and whether its signature holds. */
export const signatureChecks = checksOf("Card", [
  agentCheck(
    {
      id: "card-signed",
      title: "The card is signed",
      clause: "A2A 1.0 §8.4",
      severity: "info",
      meaning: "Nobody can tell whether the card is the agent's own.",
      remedy: "Sign the card (JWS over its canonical form) and publish the key.",
    },
    async (examination) => {
      const names = (await signatures(examination))?.map(
        ({ kid, alg, jku }) => `${kid} (${alg}${jku ? `, ${jku}` : ""})`,
      );
      if (!names) return beside("There is no card");
      return names.length === 0 ? wrong("It is not") : right(names.join(", "));
    },
  ),
  agentCheck(
    {
      id: "card-signature",
      title: "The card's signature holds",
      clause: "A2A 1.0 §8.4.3; RFC 7515, RFC 8785",
      severity: "must",
      meaning: "The card was changed after it was signed, or was signed with another key.",
      remedy: "Sign the document that is served, in its canonical form, with the key that is published.",
    },
    async (examination) => {
      const card = await mainCard(examination);
      const signed = await signatures(examination);
      if (!card?.document || !signed || signed.length === 0) return beside("It is not signed");
      const { keys, allow } = examination.options;
      const keySetUrls = signed.flatMap(({ jku }) =>
        jku !== undefined && isAllowed(examination, jku) ? [jku] : [],
      );
      if (keys.length === 0 && keySetUrls.length === 0) {
        const jku = signed.find((it) => it.jku !== undefined)?.jku;
        return beside(`Not verified: give its key with --key FILE${jku ? `, or --allow ${jku}` : ""}`);
      }
      const fetchKeySet = keySetFetcher({
        allowOrigins: [...allow, ...keySetUrls].flatMap((it) => URL.parse(it)?.origin ?? []),
      });
      const forms = ["whole-document", "specification", "official-sdks"] as const;
      try {
        const verified = await verifyCard(card.document as CardDocument, {
          keys,
          keySetUrls,
          fetchKeySet,
          forms,
        });
        return right(`By the key ${verified.keyId}, ${verified.algorithm}, over the form "${verified.form}"`);
      } catch (error) {
        if (!(error instanceof CardSignatureError)) throw error;
        return wrong(error.reasons.join("; "), [card.exchange.evidence]);
      }
    },
  ),
]);

/** Key sets are fetched only where the caller allows it: the card of a stranger does not choose our requests. */
function isAllowed({ options }: Examination, jku: string): boolean {
  return options.allow.some((it) => it === jku || it === URL.parse(jku)?.origin);
}

async function signatures(examination: Examination) {
  const document = (await mainCard(examination))?.document;
  if (!document) return undefined;
  const list = Array.isArray(document.signatures) ? document.signatures : [];
  return list.map((it) => {
    const header =
      isObject(it) && typeof it.protected === "string" ? readSignatureHeader(it.protected) : undefined;
    return header ?? { kid: "unreadable", alg: "?", jku: undefined };
  });
}
