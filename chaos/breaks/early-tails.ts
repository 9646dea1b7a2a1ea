import { Tails as WholeTails } from "../../packages/journal/src/follow/tails.ts";

export * from "../../packages/journal/src/follow/tails.ts";

let deliver: WholeTails["committed"] = () => {};

/** Delivers events to current followers, committed or not. */
export const deliverNow: WholeTails["committed"] = (...delivered) => deliver(...delivered);

/** Tails that accept events from other sources than their journal. */
export class Tails extends WholeTails {
  constructor(...given: ConstructorParameters<typeof WholeTails>) {
    super(...given);
    deliver = (...delivered) => this.committed(...delivered);
  }
}
