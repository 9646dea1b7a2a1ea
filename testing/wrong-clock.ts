/** The source of a module that makes the clock of the Node process wrong that imports it first. */
export function wrongClock(offMs: number): string {
  return `
    const Right = Date;
    globalThis.Date = class Date extends Right {
      constructor(...given) { super(...(given.length === 0 ? [Right.now() + ${offMs}] : given)); }
      static now() { return Right.now() + ${offMs}; }
    };`;
}

/** The option of Node that loads a module from its source, before the program. */
export function importing(module: string): string {
  return `--import=data:text/javascript,${encodeURIComponent(module)}`;
}
