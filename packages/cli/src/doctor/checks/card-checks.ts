import { beside, right, wrong } from "../check.ts";
import { cards, mainCard, readCardAt } from "../probes/cards.ts";
import { claimedWays } from "../probes/ways.ts";
import { agentCheck, checksOf } from "./define.ts";

const LARGE_CARD = 262_144;

/** Whether there is an agent at all. */
export const reachChecks = checksOf("Reach", [
  agentCheck(
    {
      id: "reachable",
      title: "The agent answers",
      clause: "A2A 1.0 §8.2",
      severity: "must",
      meaning: "Nothing answers over HTTP at the address that was named.",
      remedy: "Check the address, the port and that the agent runs.",
    },
    async (examination) => {
      const { asked } = await cards(examination);
      const answered = asked.find(({ exchange }) => exchange.status > 0);
      if (!answered)
        return wrong(
          "Nothing answers",
          asked.map(({ exchange }) => exchange.evidence),
        );
      return right(`${answered.place.origin} answered in ${Math.round(answered.exchange.milliseconds)} ms`);
    },
  ),
]);

/** What the agent's card says. */
export const cardChecks = checksOf("Card", [
  agentCheck(
    {
      id: "card-well-known",
      title: "The card is at /.well-known/agent-card.json",
      clause: "A2A 1.0 §8.2; 0.3 §5.3",
      severity: "must",
      meaning: "Clients of v1.0 and v0.3 look for the card there and find nothing.",
      remedy: "Serve the card at that path, with HTTP 200 and without authentication.",
    },
    async (examination) => {
      const { modern, first, asked } = await cards(examination);
      if (modern) return right(modern.place.href, [modern.exchange.evidence]);
      const evidence = asked.map(({ exchange }) => exchange.evidence);
      const isOld = first?.reading?.endpoints[0]?.dialect === "0.1";
      if (isOld) return beside("An agent of v0.1 has its card at /.well-known/agent.json alone", evidence);
      return wrong("There is no card", evidence);
    },
  ),
  agentCheck(
    {
      id: "card-first-path",
      title: "The card is at /.well-known/agent.json too",
      clause: "A2A 0.2 and 0.1; protocol.md, row “card”",
      severity: "info",
      meaning: "Clients of v0.1 and v0.2 look for the card there.",
      remedy: "Serve a card there if older clients should find the agent.",
    },
    async (examination) => {
      const { first, asked } = await cards(examination);
      if (first) return right(first.place.href);
      return beside(
        "There is none; only clients of v0.1 and v0.2 miss it",
        asked.map(({ exchange }) => exchange.evidence),
      );
    },
  ),
  agentCheck(
    {
      id: "card-content-type",
      title: "The card is served as application/json",
      clause: "A2A 1.0 §14.3; RFC 8259 §11",
      severity: "should",
      meaning: "A client that looks at the type takes the card for a page.",
      remedy: "Set Content-Type: application/json.",
    },
    async (examination) => {
      const card = await mainCard(examination);
      if (!card) return beside("There is no card");
      const { contentType, evidence } = card.exchange;
      if (/^application\/([\w.-]+\+)?json\b/.test(contentType)) return right(contentType);
      return wrong(`It is served as ${contentType || "nothing"}`, [evidence]);
    },
  ),
  agentCheck(
    {
      id: "card-valid",
      title: "The card has what its version asks for",
      clause: "A2A 1.0 §4.4.1; 0.3 §5.5",
      severity: "must",
      meaning: "Something that the specification requires is missing from the card, or is of another kind.",
      remedy: "Mend the members that are named.",
    },
    async (examination) => {
      const card = await mainCard(examination);
      if (!card?.reading) return beside("There is no card");
      const errors = card.reading.findings.filter(({ severity }) => severity === "error");
      if (errors.length === 0)
        return right(`${card.reading.card?.name ?? ""} ${card.reading.card?.version ?? ""}`.trim());
      const told = errors.slice(0, 8).map(({ path, message }) => `${path}: ${message}`);
      return wrong(`${told.join("; ")}${errors.length > 8 ? ` and ${errors.length - 8} more` : ""}`, [
        card.exchange.evidence,
      ]);
    },
  ),
  agentCheck(
    {
      id: "card-odd",
      title: "There is nothing odd in the card",
      clause: "A2A 1.0 §4.4, §5.5",
      severity: "should",
      meaning: "Tolerant clients read it all the same, others may not.",
      remedy: "Mend the members that are named.",
    },
    async (examination) => {
      const { modern, first } = await cards(examination);
      // Cards before v0.2.6 have no version to name.
      const old = first?.reading?.findings.filter(({ path }) => path !== "$.protocolVersion") ?? [];
      const warnings = [...(modern?.reading?.findings ?? []), ...old].filter(
        ({ severity }) => severity === "warning",
      );
      if (!modern && !first) return beside("There is no card");
      const told = [...new Set(warnings.map(({ path, message }) => `${path}: ${message}`))];
      if (told.length === 0) return right("Nothing");
      return wrong(
        told.slice(0, 8).join("; "),
        [modern ?? first].flatMap((it) => it?.exchange.evidence ?? []),
      );
    },
  ),
  agentCheck(
    {
      id: "card-hosts",
      title: "The card leads to its own host",
      clause: "A2A 1.0 §8.3.1; ours",
      severity: "should",
      meaning: "An interface is on another host than the card, and credentials would travel there.",
      remedy: "Check that the host is meant; examine it too with --allow ORIGIN.",
    },
    async (examination) => {
      const { modern, first } = await cards(examination);
      const endpoints = [modern, first].flatMap((it) => it?.reading?.endpoints ?? []);
      if (endpoints.length === 0) return beside("There is no interface that we know");
      const urls = endpoints.map(({ url }) => (/^https?:/.test(url) ? url : `http://${url}`));
      const foreign = [
        ...new Set(urls.filter((url) => !examination.isOwn(new URL(url))).map((url) => new URL(url).origin)),
      ];
      if (foreign.length === 0)
        return right(
          `${(await claimedWays(examination)).map(({ name }) => name).join(", ") || "gRPC alone"}`,
        );
      return wrong(`Not examined, because they are elsewhere: ${foreign.join(", ")} (allow with --allow)`);
    },
  ),
  agentCheck(
    {
      id: "card-stable",
      title: "The card is the same when it is read again",
      clause: "ours; what A2A 1.0 §8.6 takes for granted",
      severity: "should",
      meaning: "A card that changes with each reading cannot be cached, signed or trusted.",
      remedy: "Serve the same document until something has really changed.",
    },
    async (examination) => {
      const card = await mainCard(examination);
      if (!card) return beside("There is no card");
      const again = await readCardAt(examination, card.place);
      if (JSON.stringify(again.document) === JSON.stringify(card.document)) return right("It is");
      return wrong("It differs", [card.exchange.evidence, again.exchange.evidence]);
    },
  ),
  agentCheck(
    {
      id: "card-size",
      title: "The card is of a size that clients take",
      clause: "protocol.md (ours: 256 kB)",
      severity: "should",
      meaning: "Clients bound what they read; many refuse a card of a megabyte.",
      remedy: "Shorten descriptions and examples, and leave out what skills do not need.",
    },
    async (examination) => {
      const { asked } = await cards(examination);
      const card =
        (await mainCard(examination)) ?? asked.find(({ exchange }) => exchange.failure !== undefined);
      if (!card) return beside("There is no card");
      const { text, failure, evidence } = card.exchange;
      if (failure !== undefined) return wrong(failure, [evidence]);
      if (text.length <= LARGE_CARD) return right(`${text.length} characters`);
      return wrong(`It has ${text.length} characters`, [evidence]);
    },
  ),
  agentCheck(
    {
      id: "card-caching",
      title: "The card says how long it may be kept",
      clause: "A2A 1.0 §8.6.1",
      severity: "info",
      meaning: "Without Cache-Control or ETag each client guesses.",
      remedy: "Send Cache-Control with max-age, and an ETag.",
    },
    async (examination) => {
      const card = await mainCard(examination);
      if (!card) return beside("There is no card");
      const { headers } = card.exchange;
      const said = ["cache-control", "etag"].flatMap((name) => headers.get(name) ?? []);
      return said.length > 0 ? right(said.join(", ")) : wrong("It says nothing", [card.exchange.evidence]);
    },
  ),
]);
