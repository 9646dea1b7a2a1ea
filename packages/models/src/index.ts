export { boundedSchema } from "./bounded-schema.ts";
export { withEnvironmentFile } from "./environment-file.ts";
export { fairModel } from "./fair-model.ts";
export * from "./model.ts";
export * from "./model-errors.ts";
export { OFFLINE_MODEL_PATH, offlineModelListener } from "./offline/endpoint/offline-model-listener.ts";
export { offlineModel } from "./offline/offline-model.ts";
export { defaultModelName, type Environment, openModel, providerStandings } from "./open-model.ts";
export { retrying } from "./retrying.ts";
