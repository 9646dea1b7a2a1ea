import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROBLEMS } from "@parley/adapters";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "./testing/api-server.ts";

const DOCS = join(import.meta.dirname, "../../../../docs");

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start();
});
afterAll(() => api.stop());

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
}

/** The endpoints of the OpenAPI document as tables, one for each tag. */
async function endpointTables(): Promise<string> {
  const { json } = await api.ask("GET", "/api/v1/openapi.json");
  const operations = Object.entries(json.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, item]) =>
      Object.entries(item).map(([method, { tags, summary }]) => ({
        tag: tags?.[0] ?? "Other",
        row: `| \`${method.toUpperCase()} ${path}\` | ${summary ?? ""} |`,
      })),
  );
  return [...Map.groupBy(operations, ({ tag }) => tag)]
    .map(
      ([tag, own]) =>
        `## ${tag}\n| endpoint | what it does |\n|---|---|\n${own.map(({ row }) => row).join("\n")}\n`,
    )
    .join("\n");
}

describe("docs/api-reference.md", () => {
  it("lists every endpoint of the OpenAPI document; vitest -u rewrites it", async () => {
    const page = join(DOCS, "api-reference.md");
    const [, other = ""] = readFileSync(page, "utf8").split(/(?=^## Outside \/api\/v1$)/m);
    const intro =
      "# API reference\n\nPaths are below `/api/v1`. A running server shows this page at `/docs/api-reference` with all\n" +
      "parameters, schemas and requests to try. [API guide](api.md) explains sessions, events and errors.\n";
    await expect(`${intro}\n${await endpointTables()}\n${other}`).toMatchFileSnapshot(page);
  });

  it("has a summary for each endpoint", async () => {
    expect((await endpointTables()).match(/\| {2}\|$/gm)).toBeNull();
  });
});

it("docs/api.md has a section for each error code, at the anchor that a problem's type names", () => {
  const sections = readFileSync(join(DOCS, "api.md"), "utf8").match(/(?<=^### ).*$/gm);
  expect(sections).toEqual(Object.keys(PROBLEMS));
});
