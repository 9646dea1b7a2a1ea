import { isObject } from "@parley/a2a";
import {
  type CardDocument,
  CardSignatureError,
  keySetFetcher,
  readSignatureHeader,
  verifyCard,
} from "@parley/a2a/checks";
import { agentCheck, checksOf, fail, pass, skip } from "../check.ts";
import type { Examination } from "../examination.ts";
import { cards, mainCard, readCardAt } from "../probes/cards.ts";
import { claimedInterfaces } from "../probes/interfaces.ts";

const MAX_CARD_LENGTH = 262_144;
const MAX_SHOWN = 8;
const NO_CARD = skip("There is no card");

/** Checks whether there is an agent at all. */
export const reachChecks = checksOf("Reachability", [
  agentCheck(
    {
      id: "reachable",
      title: "The agent answers over HTTP",
      clause: "A2A 1.0 §8.2",
      severity: "must",
      meaning: "Nothing answers at this address.",
      remedy: "Check the address and the port, and that the agent is running.",
    },
    async (examination) => {
      const { asked } = await cards(examination);
      const evidence = asked.map(({ exchange }) => exchange.evidence);
      const answered = asked.find(({ exchange }) => exchange.status > 0);
      if (!answered) return fail("Nothing answers", evidence);
      return pass(`${answered.place.origin} answered in ${Math.round(answered.exchange.milliseconds)} ms`);
    },
  ),
]);

/** Checks of the agent card and its signature. */
export const cardChecks = checksOf("Agent card", [
  agentCheck(
    {
      id: "card-well-known",
      title: "The card is served at /.well-known/agent-card.json",
      clause: "A2A 1.0 §8.2; 0.3 §5.3",
      severity: "must",
      meaning: "Clients of v1.0 and v0.3 request the card there and find nothing.",
      remedy: "Serve the card at that path, with HTTP 200 and without authentication.",
    },
    async (examination) => {
      const { modern, legacy, asked } = await cards(examination);
      if (modern) return pass(modern.place.href, [modern.exchange.evidence]);
      const evidence = asked.map(({ exchange }) => exchange.evidence);
      const isFirstVersion = legacy?.reading?.endpoints[0]?.dialect === "0.1";
      if (isFirstVersion)
        return skip("Agents of v0.1 serve their card at /.well-known/agent.json only", evidence);
      return fail("There is no card", evidence);
    },
  ),
  agentCheck(
    {
      id: "card-first-path",
      title: "The card is also served at /.well-known/agent.json",
      clause: "A2A 0.2 and 0.1; protocol.md, row “card”",
      severity: "info",
      meaning: "Clients of v0.1 and v0.2 request the card there.",
      remedy: "Serve a card there if older clients should find the agent.",
    },
    async (examination) => {
      const { legacy, asked } = await cards(examination);
      if (legacy) return pass(legacy.place.href);
      const evidence = asked.map(({ exchange }) => exchange.evidence);
      return skip("Not served; only clients of v0.1 and v0.2 need it", evidence);
    },
  ),
  agentCheck(
    {
      id: "card-content-type",
      title: "The card is served as application/json",
      clause: "A2A 1.0 §14.3; RFC 8259 §11",
      severity: "should",
      meaning: "Clients that check the content type mistake the card for a web page.",
      remedy: "Set Content-Type: application/json.",
    },
    async (examination) => {
      const card = await mainCard(examination);
      if (!card) return NO_CARD;
      const { contentType, evidence } = card.exchange;
      if (/^application\/([\w.-]+\+)?json\b/.test(contentType)) return pass(contentType);
      return fail(`Content-Type: ${contentType || "missing"}`, [evidence]);
    },
  ),
  agentCheck(
    {
      id: "card-valid",
      title: "The card is valid",
      clause: "A2A 1.0 §4.4.1; 0.3 §5.5",
      severity: "must",
      meaning: "A required field is missing from the card, or has the wrong type.",
      remedy: "Fix the listed fields.",
    },
    async (examination) => {
      const card = await mainCard(examination);
      if (!card?.reading) return NO_CARD;
      const errors = card.reading.findings.filter(({ severity }) => severity === "error");
      const { name = "", version = "" } = card.reading.card ?? {};
      if (errors.length === 0) return pass(`${name} ${version}`.trim());
      const shown = errors.slice(0, MAX_SHOWN).map(({ path, message }) => `${path}: ${message}`);
      const more = errors.length > MAX_SHOWN ? ` and ${errors.length - MAX_SHOWN} more` : "";
      return fail(`${shown.join("; ")}${more}`, [card.exchange.evidence]);
    },
  ),
  agentCheck(
    {
      id: "card-odd",
      title: "The card has no questionable fields",
      clause: "A2A 1.0 §4.4, §5.5",
      severity: "should",
      meaning: "Tolerant clients accept the card; strict ones may not.",
      remedy: "Fix the listed fields.",
    },
    async (examination) => {
      const { modern, legacy } = await cards(examination);
      const card = modern ?? legacy;
      if (!card) return NO_CARD;
      // Cards before v0.2.6 do not name a version.
      const old = legacy?.reading?.findings.filter(({ path }) => path !== "$.protocolVersion") ?? [];
      const warnings = [...(modern?.reading?.findings ?? []), ...old].filter(
        ({ severity }) => severity === "warning",
      );
      const texts = [...new Set(warnings.map(({ path, message }) => `${path}: ${message}`))];
      if (texts.length === 0) return pass("None");
      return fail(texts.slice(0, MAX_SHOWN).join("; "), [card.exchange.evidence]);
    },
  ),
  agentCheck(
    {
      id: "card-hosts",
      title: "All interfaces are on the card's own host",
      clause: "A2A 1.0 §8.3.1; ours",
      severity: "should",
      meaning: "An interface is on another host than the card, and clients would send credentials there.",
      remedy: "Check that the host is intended; include it in the examination with --allow ORIGIN.",
    },
    async (examination) => {
      const { modern, legacy } = await cards(examination);
      const endpoints = [modern, legacy].flatMap((it) => it?.reading?.endpoints ?? []);
      if (endpoints.length === 0) return skip("The card has no known interface");
      const urls = endpoints.map(({ url }) => new URL(/^https?:/.test(url) ? url : `http://${url}`));
      const foreign = new Set(urls.filter((url) => !examination.isOwn(url)).map(({ origin }) => origin));
      if (foreign.size > 0)
        return fail(`Not examined, on another host: ${[...foreign].join(", ")} (allow with --allow)`);
      const names = (await claimedInterfaces(examination)).map(({ name }) => name);
      return pass(names.join(", ") || "gRPC only");
    },
  ),
  agentCheck(
    {
      id: "card-stable",
      title: "Reading the card twice returns the same card",
      clause: "ours; implied by A2A 1.0 §8.6",
      severity: "should",
      meaning: "A card that changes with every request cannot be cached, signed or trusted.",
      remedy: "Serve the same document until something has really changed.",
    },
    async (examination) => {
      const card = await mainCard(examination);
      if (!card) return NO_CARD;
      const again = await readCardAt(examination, card.place);
      if (JSON.stringify(again.document) === JSON.stringify(card.document)) return pass("Both are the same");
      return fail("The two cards differ", [card.exchange.evidence, again.exchange.evidence]);
    },
  ),
  agentCheck(
    {
      id: "card-size",
      title: "The card is small enough for clients",
      clause: "protocol.md (ours: 256 kB)",
      severity: "should",
      meaning: "Clients limit what they read; many reject a card of a megabyte.",
      remedy: "Shorten descriptions and examples, and drop what skills do not need.",
    },
    async (examination) => {
      const { asked } = await cards(examination);
      const card =
        (await mainCard(examination)) ?? asked.find(({ exchange }) => exchange.failure !== undefined);
      if (!card) return NO_CARD;
      const { text, failure, evidence } = card.exchange;
      if (failure !== undefined) return fail(failure, [evidence]);
      const size = `${text.length} characters`;
      return text.length <= MAX_CARD_LENGTH ? pass(size) : fail(size, [evidence]);
    },
  ),
  agentCheck(
    {
      id: "card-caching",
      title: "The card has caching headers",
      clause: "A2A 1.0 §8.6.1",
      severity: "info",
      meaning: "Without Cache-Control or ETag, every client has to guess.",
      remedy: "Send Cache-Control with max-age, and an ETag.",
    },
    async (examination) => {
      const card = await mainCard(examination);
      if (!card) return NO_CARD;
      const { headers, evidence } = card.exchange;
      const values = ["cache-control", "etag"].flatMap((name) => headers.get(name) ?? []);
      return values.length > 0
        ? pass(values.join(", "))
        : fail("No Cache-Control or ETag header", [evidence]);
    },
  ),
  agentCheck(
    {
      id: "card-signed",
      title: "The card is signed",
      clause: "A2A 1.0 §8.4",
      severity: "info",
      meaning: "Clients cannot verify that the card is the agent's own.",
      remedy: "Sign the card (JWS over its canonical form) and publish the key.",
    },
    async (examination) => {
      const signed = await signatures(examination);
      if (!signed) return NO_CARD;
      const names = signed.map(({ kid, alg, jku }) => `${kid} (${alg}${jku ? `, ${jku}` : ""})`);
      return names.length === 0 ? fail("The card has no signature") : pass(names.join(", "));
    },
  ),
  agentCheck(
    {
      id: "card-signature",
      title: "The card's signature is valid",
      clause: "A2A 1.0 §8.4.3; RFC 7515, RFC 8785",
      severity: "must",
      meaning: "The card was changed after it was signed, or signed with another key.",
      remedy: "Sign the served document in its canonical form, with the published key.",
    },
    async (examination) => {
      const card = await mainCard(examination);
      const signed = (await signatures(examination)) ?? [];
      if (!card?.document || signed.length === 0) return skip("The card is not signed");
      const { keys, allow } = examination.options;
      const jkus = signed.flatMap(({ jku }) => jku ?? []);
      // Key sets are fetched only where the caller allows it: a card does not choose our requests.
      const keySetUrls = jkus.filter((jku) =>
        allow.some((it) => it === jku || it === URL.parse(jku)?.origin),
      );
      if (keys.length === 0 && keySetUrls.length === 0)
        return skip(`Not verified; pass the key with --key FILE${jkus[0] ? ` or --allow ${jkus[0]}` : ""}`);
      const fetchKeySet = keySetFetcher({
        allowOrigins: [...allow, ...keySetUrls].flatMap((it) => URL.parse(it)?.origin ?? []),
      });
      const forms = ["whole-document", "specification", "official-sdks"] as const;
      try {
        const options = { keys, keySetUrls, fetchKeySet, forms };
        const { keyId, algorithm, form } = await verifyCard(card.document as CardDocument, options);
        return pass(`Signed with key ${keyId}, ${algorithm}, canonical form "${form}"`);
      } catch (error) {
        if (!(error instanceof CardSignatureError)) throw error;
        return fail(error.reasons.join("; "), [card.exchange.evidence]);
      }
    },
  ),
]);

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
