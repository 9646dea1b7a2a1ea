import { incomingBodies } from "@parley/a2a";
import { expect, it, onTestFinished } from "vitest";
import { callerName } from "./request-rates.ts";
import { ApiServer } from "./testing/api-server.ts";

it("a body is refused with 429 when its caller has too many bytes in flight, as for A2A", async () => {
  const api = await ApiServer.start();
  onTestFinished(() => api.stop());
  {
    using others = incomingBodies.of(callerName({ owner: "ann", workspace: "default" }));
    others.add(64 * 1_048_576);
    const { status, headers, json } = await api.ask("POST", "/api/v1/sessions", {});
    expect([status, json.code, headers.get("retry-after")]).toEqual([429, "rate_limited", "1"]);
    expect((await api.ask("POST", "/api/v1/sessions", {}, { "X-Test-Owner": "bob" })).status).toBe(201);
  }
  expect((await api.ask("POST", "/api/v1/sessions", {})).status).toBe(201);
});
