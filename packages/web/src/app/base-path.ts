/** Where the server is below its origin: what stands before `/s` in the page's address, as a proxy may want it. */
export const BASE_PATH = /^(.*?)\/s(?:\/|$)/.exec(location.pathname)?.[1] ?? "";

/** The server's address. */
export const SERVER_URL = location.origin + BASE_PATH;
