/** The same value, which nobody can change any more, nor anything in it. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inside of Object.values(value)) frozen(inside);
  return value;
}
