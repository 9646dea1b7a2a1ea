import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { ApiServer } from "../testing/api-server.ts";

it("an export carries each file once, in chunks, however many parts name it, and imports completely", async () => {
  const api = await ApiServer.start();
  onTestFinished(() => api.stop());
  const contents = [randomBytes(100_001), randomBytes(100_000)];
  const blobs: string[] = [];
  for (const content of contents) {
    const headers = { "Content-Type": "image/png", "X-File-Name": "a" };
    blobs.push((await api.ask("POST", "/api/v1/files", content, headers)).json.file.id);
  }
  const { get } = api.journal.blobs;
  api.journal.blobs.get = () => Promise.reject(new Error("a file was read whole"));
  const [a, b] = blobs;
  const named = Array.from({ length: 100 }, () => ({ blob: a, filename: "a", raw: "x", size: 9 }));
  const parts = [{ text: "first" }, ...named, { blob: b, mediaType: "image/png" }, { blob: "0".repeat(64) }];
  const lines = [
    { type: "session_created", payload: { workspace: "w", owner: "o", title: "t" } },
    { type: "agent_artifact", payload: { runId: "r", artifactId: "a", parts } },
    { type: "agent_artifact", payload: { runId: "r", artifactId: "b", parts } },
  ];
  const asked = { content: lines.map((line) => JSON.stringify(line)).join("\n") };
  const { session } = (await api.ask("POST", "/api/v1/sessions/import", asked)).json;
  const { text } = await api.ask("GET", `/api/v1/sessions/${session.id}/export`);
  const [, one, two] = text.split("\n").map((line) => line && JSON.parse(line).payload.parts);
  expect(one.slice(0, 3)).toEqual([
    { text: "first" },
    { filename: "a", raw: contents[0]?.toString("base64") },
    { filename: "a", blob: a, raw: "x", size: 9 },
  ]);
  expect(one.slice(-2)).toEqual([
    { mediaType: "image/png", raw: contents[1]?.toString("base64") },
    { blob: "0".repeat(64) },
  ]);
  expect(two).toEqual(parts);
  api.journal.blobs.get = get;
  const other = { "X-Test-Owner": "carol" };
  await api.ask("POST", "/api/v1/sessions/import", { content: text }, other);
  for (const [at, blob] of blobs.entries()) {
    const answer = await fetch(`${api.url}/api/v1/files/${blob}/content`, { headers: other });
    expect(Buffer.from(await answer.arrayBuffer()).equals(contents[at] ?? Buffer.of())).toBe(true);
  }
});
