import { z } from "zod";

const MAX_MS = 10 * 60_000;
const retryInfo = z.looseObject({
  error: z.looseObject({ details: z.array(z.looseObject({ retryDelay: z.string().optional() })) }),
});

/** How long a provider asks to wait, by its headers or by its answer's text; undefined where it does not say. */
export function retryAfterMs(
  headers: Readonly<Record<string, string>> = {},
  body = "",
  now: number = Date.now(),
): number | undefined {
  const found =
    milliseconds(headers["retry-after-ms"]) ??
    seconds(headers["retry-after"]) ??
    until(headers["retry-after"], now) ??
    seconds(delayInBody(body)?.replace(/s$/, ""));
  return found === undefined ? undefined : Math.min(Math.max(found, 0), MAX_MS);
}

function milliseconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Math.ceil(Number(text)) : undefined;
}

function seconds(text: string | undefined): number | undefined {
  const value = milliseconds(text);
  return value === undefined ? undefined : Math.ceil(Number(text) * 1000);
}

function until(text: string | undefined, now: number): number | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : time - now;
}

function delayInBody(body: string): string | undefined {
  try {
    const { details } = retryInfo.parse(JSON.parse(body)).error;
    return details.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay;
  } catch {
    return undefined; // Most answers say nothing of it, and an error's text need not be JSON.
  }
}
