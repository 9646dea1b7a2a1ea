/** The keys that an object schema knows at this path, for saying what a misspelt one was meant to be. */
export function knownKeys(schema: unknown, path: readonly PropertyKey[]): string[] {
  const owner = path.reduce<unknown>((rest, key) => {
    const { shape, def } = inner(rest) as {
      shape?: object;
      def?: { element?: unknown; valueType?: unknown };
    };
    return shape ? Reflect.get(shape, key) : (def?.element ?? def?.valueType ?? {});
  }, schema);
  return Object.keys((inner(owner) as { shape?: object }).shape ?? {});
}

/** The schema under defaults, options and transformations. */
function inner(schema: unknown): unknown {
  const definition = (schema as { def?: { innerType?: unknown; out?: unknown } }).def;
  const wrapped = definition?.innerType ?? definition?.out;
  return wrapped === undefined ? schema : inner(wrapped);
}
