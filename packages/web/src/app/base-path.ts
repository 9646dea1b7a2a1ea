/** The path of the server below its origin, as a proxy may want it: the part of this script's address before `/s/assets/`. */
export const BASE_PATH = /^(.*)\/s\/assets\//.exec(new URL(import.meta.url).pathname)?.[1] ?? "";

/** The server's address. */
export const SERVER_URL = location.origin + BASE_PATH;
