const HIDDEN = "[redacted]";
const secretName = /token|secret|passw|credential|auth|cookie|private|(^|[^a-z])key|apikey|_key/i;
/** Shorter values are too likely to be ordinary words. */
const SHORTEST_SECRET = 6;

const knownShapes: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${HIDDEN}`],
  [/\b(sk|pk|ghp|gho|ghs|github_pat|glpat|xox[abp])[-_][\w-]{8,}/g, HIDDEN],
  [/\beyJ[\w-]{6,}\.[\w-]+\.[\w-]*/g, HIDDEN],
  [/(:\/\/)[^\s/:@]+:[^\s/@]+@/g, `$1${HIDDEN}@`],
  [/((?:token|secret|password|passwd|api[-_]?key)["']?\s*[:=]\s*["']?)[^\s"',;&]{4,}/gi, `$1${HIDDEN}`],
];

/** Hides in a text what looks like a secret, and the secrets that were given to it. */
export type Redactor = (text: string) => string;

/** A redactor that knows every header, and the variables whose names say that they are secret. */
export function redactorFor(secrets: {
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}): Redactor {
  const variables = Object.entries(secrets.env ?? {}).filter(([name]) => secretName.test(name));
  const values = [...variables.map(([, value]) => value), ...Object.values(secrets.headers ?? {})]
    .flatMap((value) => [value, value.replace(/^\w+\s+/, "")])
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    const withoutValues = values.reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
    return knownShapes.reduce((rest, [shape, by]) => rest.replace(shape, by), withoutValues);
  };
}
