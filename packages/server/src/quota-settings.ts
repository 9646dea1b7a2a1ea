import { numberSetting } from "./number-setting.ts";

/** The limits of one user or one workspace; infinite for no limit. */
export interface Quota {
  /** Of uploads and session events. */
  readonly bytes: number;
  readonly sessions: number;
  /** Runs that have not ended. */
  readonly runs: number;
  /** Open event streams at one node. */
  readonly streams: number;
}

export interface QuotaSettings {
  readonly user: Quota;
  readonly workspace: Quota;
}

const GB = 1_073_741_824;
/** The settings, and their defaults. */
const SETTINGS = {
  user: {
    bytes: ["PARLEY_USER_BYTES", 2 * GB],
    sessions: ["PARLEY_USER_SESSIONS", 20_000],
    runs: ["PARLEY_USER_RUNS", 100],
    streams: ["PARLEY_USER_STREAMS", 20],
  },
  workspace: {
    bytes: ["PARLEY_WORKSPACE_BYTES", 20 * GB],
    sessions: ["PARLEY_WORKSPACE_SESSIONS", 200_000],
    runs: ["PARLEY_WORKSPACE_RUNS", 500],
    streams: ["PARLEY_WORKSPACE_STREAMS", 1_000],
  },
} as const;

/** The name of the setting for a limit. */
export function settingOf(scope: keyof QuotaSettings, kind: keyof Quota): string {
  return SETTINGS[scope][kind][0];
}

/** Reads the settings; throws a `StartError`. */
export function quotaSettings(environment: Readonly<Record<string, string | undefined>>): QuotaSettings {
  const limit = ([setting, usual]: readonly [string, number]) => {
    const read = { must: "a number, or 0 for no limit", most: Number.MAX_SAFE_INTEGER };
    return numberSetting(setting, environment[setting] || String(usual), read) || Number.POSITIVE_INFINITY;
  };
  const limits = ({ bytes, sessions, runs, streams }: Record<keyof Quota, readonly [string, number]>) => ({
    bytes: limit(bytes),
    sessions: limit(sessions),
    runs: limit(runs),
    streams: limit(streams),
  });
  return { user: limits(SETTINGS.user), workspace: limits(SETTINGS.workspace) };
}
