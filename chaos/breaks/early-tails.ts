import { Tails as WholeTails } from "../../packages/journal/src/follow/tails.ts";

export * from "../../packages/journal/src/follow/tails.ts";

let deliver: WholeTails["committed"] = () => {};

/** Gives events to whoever follows them now, committed or not. */
export const deliverNow: WholeTails["committed"] = (...delivered) => deliver(...delivered);

/** Tails that can be told of events by somebody else than their journal. */
export class Tails extends WholeTails {
  constructor(...given: ConstructorParameters<typeof WholeTails>) {
    super(...given);
    deliver = (...delivered) => this.committed(...delivered);
  }
}
