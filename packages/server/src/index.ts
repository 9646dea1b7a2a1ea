export { type Configuration, readConfiguration } from "./configuration.ts";
export { type Platform, startPlatform } from "./platform.ts";
export { StartError } from "./start-error.ts";
