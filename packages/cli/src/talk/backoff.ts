/** A server that restarts is back within seconds: whoever sits before a terminal is not to wait for half a minute. */
export const BACKOFF = { firstMs: 200, mostMs: 2_000 };
