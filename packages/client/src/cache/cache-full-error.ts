/** There is no room for this, though all that could be spared was thrown away. */
export class CacheFullError extends Error {
  override readonly name = "CacheFullError";

  constructor(cause: unknown) {
    super("The browser has no room left: what you do now is lost when the page is closed. Free some space.", {
      cause,
    });
  }
}
