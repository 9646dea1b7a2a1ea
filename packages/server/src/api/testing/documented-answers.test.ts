import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";
import { DocumentedAnswers } from "./documented-answers.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start();
});
afterAll(() => api.stop());

it("a response that deviates from the OpenAPI document is detected (S4.24)", async () => {
  const { json: document } = await api.ask("GET", "/api/v1/openapi.json");
  const { json: good } = await api.ask("POST", "/api/v1/sessions", {});
  const answers = new DocumentedAnswers(document);
  const check = (json: unknown, status = 201, type = "application/json") =>
    answers.check("POST", "/api/v1/sessions", { status, type, json, text: JSON.stringify(json) });
  check(good);
  expect(() => check({})).toThrow(/session/);
  expect(() => check({ session: { ...good.session, revision: "1" } })).toThrow(/revision/);
  expect(() => check({ session: { ...good.session, createdAt: "yesterday" } })).toThrow(/createdAt/);
  expect(() => check(good, 200)).toThrow(/not documented/);
  expect(() => check({ error: "x" }, 404, "application/problem+json")).toThrow(/type/);
});
