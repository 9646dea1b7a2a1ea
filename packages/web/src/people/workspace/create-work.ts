import { type Accessor, createSignal } from "solid-js";
import { reasonOf } from "../../app/loaded.ts";

/** What a button of a section sets going: one thing at a time. */
export interface Work {
  readonly isBusy: Accessor<boolean>;
  /** Why the last one failed; undefined: it did not. */
  readonly failure: Accessor<string | undefined>;
  /** Carries it out; says whether that succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

/** Keeps whether a section is at work, and what came of it. */
export function createWork(): Work {
  const [isBusy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  return {
    isBusy,
    failure,
    async run(work) {
      setBusy(true);
      setFailure(undefined);
      try {
        await work();
        return true;
      } catch (error) {
        setFailure(reasonOf(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
