export { withEnvironmentFile } from "./models/environment-file.ts";
export type * from "./models/model.ts";
export * from "./models/model-errors.ts";
export { defaultModelName, type Environment, type OpenModelOptions, openModel } from "./models/open-model.ts";
export { type RetryOptions, retrying } from "./models/retrying.ts";
export { offlineModel } from "./offline/offline-model.ts";
