import { StartError } from "./start-error.ts";

/** Parses a setting that is a whole number; throws a `StartError`. */
export function numberSetting(
  setting: string,
  text: string,
  { must, least = 0, most = 999_999 }: { must: string; least?: number; most?: number },
): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new StartError(`${setting} must be ${must}, not ${JSON.stringify(text)}`);
}
