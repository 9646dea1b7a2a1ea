import type { FairQueue, Share } from "@parley/a2a";
import type { Model } from "./model.ts";

/** The model, whose turns wait in a queue that is shared fairly among users. */
export function fairModel(model: Model, calls: FairQueue, share: Share): Model {
  return {
    name: model.name,
    async *turn(request, signal) {
      using _ = await calls.enter(share, signal);
      yield* model.turn(request, signal);
    },
  };
}
