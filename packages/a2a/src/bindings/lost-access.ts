import type { CallerIdentity } from "../tasks/caller.ts";
import { NotAuthenticatedCallError } from "./http-error.ts";

type Ending = Pick<CallerIdentity, "ended">;

/** Aborted when the reader is gone, or may not read any more. */
export function readingSignal({ ended }: Ending, gone: AbortSignal): AbortSignal {
  return ended ? AbortSignal.any([gone, ended]) : gone;
}

/** Throws `NotAuthenticatedCallError`, with the reason, where the caller has lost access. */
export function checkAccess({ ended }: Ending): void {
  if (ended?.aborted) throw refusal(ended);
}

/** Resolves with the work, or rejects when the caller loses access first; the work itself continues. */
export async function whileAllowed<Result>({ ended }: Ending, work: Promise<Result>): Promise<Result> {
  if (!ended) return work;
  const { promise: lost, reject } = Promise.withResolvers<never>();
  const lose = () => reject(refusal(ended));
  ended.addEventListener("abort", lose);
  if (ended.aborted) lose();
  try {
    return await Promise.race([work, lost]);
  } finally {
    ended.removeEventListener("abort", lose);
  }
}

function refusal({ reason }: AbortSignal): NotAuthenticatedCallError {
  return new NotAuthenticatedCallError(
    reason instanceof Error ? reason.message : "You may not read this any more",
  );
}
