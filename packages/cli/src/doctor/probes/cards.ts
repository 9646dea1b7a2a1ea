import { isObject } from "@parley/a2a";
import { type CardReading, cardPlaces, readCard } from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import type { Exchange } from "../exchange.ts";

/** A card, where it was looked for and what came of it. */
export interface CardAnswer {
  readonly place: URL;
  readonly exchange: Exchange;
  /** Missing where there is no JSON object. */
  readonly document: { readonly [name: string]: unknown } | undefined;
  readonly reading: CardReading | undefined;
}

/** The cards of an agent at both well-known places. */
export interface Cards {
  readonly modern: CardAnswer | undefined;
  readonly first: CardAnswer | undefined;
  /** Every place that was asked, in turn. */
  readonly asked: readonly CardAnswer[];
}

const MAX_CARD = 4 * 1024 * 1024;

/** Looks for the cards below the URL, and at the root of its host. */
export function cards(examination: Examination): Promise<Cards> {
  return examination.once("cards", async () => {
    const asked: CardAnswer[] = [];
    for (const place of cardPlaces(examination.options.url)) {
      const isFound = asked.some(({ place: other, document }) => document && nameOf(other) === nameOf(place));
      if (!isFound) asked.push(await readCardAt(examination, place));
      // Who does not answer at all will not answer at the next place either.
      if (asked.at(-1)?.exchange.status === 0) break;
    }
    const [only] = asked;
    const found = (name: string) => asked.find(({ place, document }) => document && nameOf(place) === name);
    const named =
      only && asked.length === 1 && only.document && !nameOf(only.place).startsWith("agent")
        ? only
        : undefined;
    return { modern: found("agent-card.json") ?? named, first: found("agent.json"), asked };
  });
}

export async function readCardAt({ wire }: Examination, place: URL): Promise<CardAnswer> {
  const exchange = await wire.ask({ url: place.href, method: "GET" }, MAX_CARD);
  const { json, status } = exchange;
  const document = status === 200 && isObject(json) ? json : undefined;
  return { place, exchange, document, reading: document && readCard(document, place.href) };
}

/** The card that says how to speak to the agent. */
export async function mainCard(examination: Examination): Promise<CardAnswer | undefined> {
  const { modern, first } = await cards(examination);
  return modern ?? first;
}

/** What the agent claims to be able to do. */
export async function claims(examination: Examination) {
  const card = await mainCard(examination);
  return card?.reading?.card?.capabilities ?? {};
}

function nameOf({ pathname }: URL): string {
  return pathname.slice(pathname.lastIndexOf("/") + 1);
}
