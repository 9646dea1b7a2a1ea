/** A field whose live value differs from the desired one; undefined where it is missing on that side. */
export interface ChangedField {
  readonly path: string;
  readonly live?: unknown;
  readonly desired?: unknown;
}

/** The fields in which two JSON values differ. */
export function changedFields(live: unknown, desired: unknown, path = ""): ChangedField[] {
  if (Object.is(live, desired)) return [];
  if (isObject(live) && isObject(desired)) {
    const keys = new Set([...Object.keys(live), ...Object.keys(desired)]);
    return [...keys].flatMap((key) => {
      const step =
        Array.isArray(live) && Array.isArray(desired) ? `[${key}]` : `${path === "" ? "" : "."}${key}`;
      return changedFields(Reflect.get(live, key), Reflect.get(desired, key), path + step);
    });
  }
  return [{ path, ...(live === undefined ? {} : { live }), ...(desired === undefined ? {} : { desired }) }];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
