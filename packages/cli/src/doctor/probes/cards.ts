import { isObject } from "@parley/a2a";
import { type CardReading, cardPlaces, readCard } from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import type { Exchange } from "../exchange.ts";

/** A card: where it was requested and what was answered. */
export interface CardAnswer {
  readonly place: URL;
  readonly exchange: Exchange;
  /** Missing where the answer is not a JSON object. */
  readonly document: { readonly [name: string]: unknown } | undefined;
  readonly reading: CardReading | undefined;
}

/** The cards at both well-known paths. */
export interface Cards {
  readonly modern: CardAnswer | undefined;
  readonly legacy: CardAnswer | undefined;
  /** Every place that was requested, in order. */
  readonly asked: readonly CardAnswer[];
}

const MAX_CARD = 4 * 1024 * 1024;

/** Looks for cards below the URL and at the root of its host. */
export function cards(examination: Examination): Promise<Cards> {
  return examination.once("cards", async () => {
    const asked: CardAnswer[] = [];
    for (const place of cardPlaces(examination.options.url)) {
      const isFound = asked.some(({ place: other, document }) => document && nameOf(other) === nameOf(place));
      if (!isFound) asked.push(await readCardAt(examination, place));
      // A host that does not answer here will not answer at the next path.
      if (asked.at(-1)?.exchange.status === 0) break;
    }
    const [only] = asked;
    const found = (name: string) => asked.find(({ place, document }) => document && nameOf(place) === name);
    const isNamed = asked.length === 1 && only?.document && !nameOf(only.place).startsWith("agent");
    const modern = found("agent-card.json") ?? (isNamed ? only : undefined);
    return { modern, legacy: found("agent.json"), asked };
  });
}

export async function readCardAt({ wire }: Examination, place: URL): Promise<CardAnswer> {
  const exchange = await wire.ask({ url: place.href, method: "GET" }, MAX_CARD);
  const { json, status } = exchange;
  const document = status === 200 && isObject(json) ? json : undefined;
  return { place, exchange, document, reading: document && readCard(document, place.href) };
}

/** The card that says how to reach the agent. */
export async function mainCard(examination: Examination): Promise<CardAnswer | undefined> {
  const { modern, legacy } = await cards(examination);
  return modern ?? legacy;
}

/** The capabilities that the agent claims. */
export async function claims(examination: Examination) {
  return (await mainCard(examination))?.reading?.card?.capabilities ?? {};
}

function nameOf({ pathname }: URL): string {
  return pathname.slice(pathname.lastIndexOf("/") + 1);
}
