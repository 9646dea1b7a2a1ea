import { join } from "node:path";
import { apiApplication } from "@parley/server";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";

/** Where the client has its types from. */
export const TYPES_FILE = join(import.meta.dirname, "../../packages/client/src/api/generated.ts");

const HEADER = "// Made by `npm run openapi-types` from the API's own description. Do not edit.\n\n";

/** The client's types, from the document that the API serves at `/api/v1/openapi.json`. */
export async function openapiTypes(): Promise<string> {
  const types = await openapiTS(await servedDocument(), {
    ...{ immutable: true, rootTypes: true, rootTypesNoSchemaPrefix: true },
  });
  return HEADER + astToString(types);
}

async function servedDocument(): Promise<OpenAPI3> {
  // Describing the routes asks nothing of what stands behind them.
  const behind = { version: "0" } as Parameters<typeof apiApplication>[0];
  const answer = await apiApplication(behind).request("/api/v1/openapi.json", {}, {});
  return (await answer.json()) as OpenAPI3;
}
