/** What varies by nature, and what stands in its place when texts are compared. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b(?:ses|run|msg|evt|key)_[\w-]{8,}/g, "<id>"],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, "<time>"],
  [/\b\d+(?:\.\d+)? ?(?:ms|s|seconds?|milliseconds?)(?![\w/])/g, "<duration>"],
  [/\b(https?:\/\/(?:localhost|127\.0\.0\.1)):\d+/g, "$1:<port>"],
];

/** A text as it is compared: without ids, times, durations and ports of this machine. */
export function comparable(text: string): string {
  return VARYING.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text);
}
