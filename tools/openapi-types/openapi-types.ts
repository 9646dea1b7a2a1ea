import { join } from "node:path";
import { apiApplication } from "@parley/server";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";

/** Where the client has its types from. */
export const TYPES_FILE = join(import.meta.dirname, "../../packages/client/src/api/generated.ts");

const HEADER = "// Made by `npm run openapi-types` from the API's own description. Do not edit.\n\n";

const EMPTY_PARAMETERS = /^ *readonly parameters: \{\n *\};\n/gm;

/** The client's types, from the document that the API serves at `/api/v1/openapi.json`. */
export async function openapiTypes(): Promise<string> {
  const types = await openapiTS(await servedDocument(), {
    ...{ immutable: true, rootTypes: true, rootTypesNoSchemaPrefix: true },
  });
  const text = astToString(types);
  // Members that are always absent or empty are dropped.
  return HEADER + text.replace(/^ *readonly \w+\?: never;\n/gm, "").replace(EMPTY_PARAMETERS, "");
}

async function servedDocument(): Promise<OpenAPI3> {
  // Describing the routes needs no backend.
  const behind = { version: "0" } as Parameters<typeof apiApplication>[0];
  const answer = await apiApplication(behind).request("/api/v1/openapi.json", {}, {});
  const document = (await answer.json()) as OpenAPI3;
  // The client takes the bodies of requests and answers from it; it writes paths and queries itself.
  for (const path of Object.values(document.paths ?? {}))
    for (const operation of Object.values(path)) {
      delete operation.parameters;
      delete operation.responses?.default;
    }
  return document;
}
