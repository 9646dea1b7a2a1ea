export { withEnvironmentFile } from "./models/environment-file.ts";
export type * from "./models/model.ts";
export * from "./models/model-errors.ts";
export { defaultModelName, type Environment, type OpenModelOptions, openModel } from "./models/open-model.ts";
export { type RetryOptions, retrying } from "./models/retrying.ts";
export { OFFLINE_MODEL_PATH, offlineModelListener } from "./offline/endpoint/offline-model-listener.ts";
export { offlineModel } from "./offline/offline-model.ts";
