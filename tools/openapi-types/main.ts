import { writeFile } from "node:fs/promises";
import { openapiTypes, TYPES_FILE } from "./openapi-types.ts";

await writeFile(TYPES_FILE, await openapiTypes());
