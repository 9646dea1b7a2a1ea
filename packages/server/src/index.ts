export { type Configuration, readConfiguration } from "./configuration.ts";
export { guardedServer } from "./http/guarded-server.ts";
export { listen } from "./http/listen.ts";
export { type Platform, startPlatform } from "./platform.ts";
export { StartError } from "./start-error.ts";
