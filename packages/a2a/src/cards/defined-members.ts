type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The object without its undefined members, so that missing is missing and not a member that says so. */
export function definedMembers<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, it]) => it !== undefined)) as Defined<T>;
}
