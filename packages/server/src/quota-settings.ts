import { StartError } from "./start-error.ts";

/** What one user, or one workspace, may have at the same time; infinite: any number. */
export interface Quota {
  /** Of uploads and of what sessions say. */
  readonly bytes: number;
  readonly sessions: number;
  /** Runs that have not ended. */
  readonly runs: number;
  /** Event streams open at one node. */
  readonly streams: number;
}

export interface QuotaSettings {
  readonly user: Quota;
  readonly workspace: Quota;
}

const GB = 1_073_741_824;
const USUAL: QuotaSettings = {
  user: { bytes: 2 * GB, sessions: 20_000, runs: 100, streams: 20 },
  workspace: { bytes: 20 * GB, sessions: 200_000, runs: 500, streams: 1_000 },
};

/** The setting that says how much of something a user or a workspace may have. */
export function settingOf(scope: keyof QuotaSettings, kind: keyof Quota): string {
  return `PARLEY_${scope}_${kind}`.toUpperCase();
}

/** Reads them from the environment; throws a `StartError` that says what is wrong. */
export function quotaSettings(environment: Readonly<Record<string, string | undefined>>): QuotaSettings {
  const limit = (scope: keyof QuotaSettings, kind: keyof Quota, given: string | undefined): number => {
    const text = given || String(USUAL[scope][kind]);
    if (/^\d{1,15}$/.test(text)) return Number(text) || Number.POSITIVE_INFINITY;
    throw new StartError(
      `${settingOf(scope, kind)} must be a number, or 0 for no limit, not ${JSON.stringify(text)}`,
    );
  };
  return {
    user: {
      bytes: limit("user", "bytes", environment.PARLEY_USER_BYTES),
      sessions: limit("user", "sessions", environment.PARLEY_USER_SESSIONS),
      runs: limit("user", "runs", environment.PARLEY_USER_RUNS),
      streams: limit("user", "streams", environment.PARLEY_USER_STREAMS),
    },
    workspace: {
      bytes: limit("workspace", "bytes", environment.PARLEY_WORKSPACE_BYTES),
      sessions: limit("workspace", "sessions", environment.PARLEY_WORKSPACE_SESSIONS),
      runs: limit("workspace", "runs", environment.PARLEY_WORKSPACE_RUNS),
      streams: limit("workspace", "streams", environment.PARLEY_WORKSPACE_STREAMS),
    },
  };
}
