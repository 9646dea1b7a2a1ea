import type { Log } from "@parley/a2a";
import type { RunObserver } from "@parley/sessions";

/** Writes how runs go as structured lines. */
export function logRunObserver(log: Log): RunObserver {
  return {
    taken: (run, again) => log.debug({ ...run, again }, "run taken"),
    heard: (run) => log.debug({ ...run }, "agent said its first words"),
    retrying: (run, error) => log.warn({ ...run, err: error }, "agent is asked again"),
    restarted: (run, reason) => log.warn({ ...run, reason }, "run begun anew"),
    ended: (run, state) => log.info({ ...run, state }, "run ended"),
    unheard: (run, error) => log.warn({ ...run, err: error }, "message not passed on yet"),
    failed: (run, error) => log.error({ ...run, err: error }, "run is taken up again later"),
  };
}
