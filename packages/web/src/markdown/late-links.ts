import type { Links } from "marked";
import { lex } from "./dialect.ts";
import { type Unit, unitsOf } from "./unit.ts";

/** Settled units that may refer to a link that is only defined after them. */
export class LateLinks {
  #links: Links = {};
  #units: { place: number; unit: Unit; known: number }[] = [];
  #count = 0;

  /** Remembers the next units, and the links that were known with them. */
  add(units: readonly Unit[], links: Links): void {
    this.#links = links;
    const known = Object.keys(links).length;
    for (const unit of units) {
      if (unit.raw.includes("[")) this.#units.push({ place: this.#count, unit, known });
      this.#count += 1;
    }
  }

  /** The units, by their place, that came before the last definition, read again. */
  revise(): Map<number, Unit> {
    const all = Object.keys(this.#links).length;
    const revised = new Map<number, Unit>();
    for (const { place, unit, known } of this.#units) {
      if (known === all) continue;
      const inList = unit.type === "item" && unit.continues;
      revised.set(place, unitsOf(lex(unit.raw, this.#links), inList)[0] ?? unit);
    }
    return revised;
  }
}
