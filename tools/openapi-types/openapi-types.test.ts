import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openapiTypes, TYPES_FILE } from "./openapi-types.ts";

it("the client's types match the API; otherwise run `npm run openapi-types` (S4.24)", async () => {
  expect(readFileSync(TYPES_FILE, "utf8")).toBe(await openapiTypes());
});
