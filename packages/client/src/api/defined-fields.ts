type DefinedFields<Value> = {
  [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key];
} & {
  [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<Value[Key], undefined>;
};

/** A copy of the object without the fields that are undefined. */
export function definedFields<Value extends object>(value: Value): DefinedFields<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== undefined),
  ) as DefinedFields<Value>;
}
