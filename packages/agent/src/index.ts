export type * from "./models/model.ts";
export * from "./models/model-errors.ts";
