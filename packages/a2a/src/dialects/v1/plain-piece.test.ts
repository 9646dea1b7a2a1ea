import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeV1Event } from "./dialect.ts";
import { plainPiece } from "./plain-piece.ts";

const part = { text: "a word " };
const artifact = { artifactId: "a", name: "result", parts: [part] };
const update = { taskId: "t", contextId: "c", artifact, append: true, lastChunk: false };

it("a plain text piece is accepted unchanged", () => {
  const event = { artifactUpdate: update };
  expect(plainPiece(event)).toBe(event);
  expect(decodeV1Event(event)).toBe(event);
});

it("the fast path agrees with the schema on every event, or defers to it", () => {
  const odd = fc.oneof(
    fc.constantFrom("", "x", null, true, 0, {}, [], [part], [part, part], [{}], [{ text: 1 }], [null]),
    fc.jsonValue(),
  );
  const names = ["taskId", "context_id", "artifact", "append", "last_chunk", "metadata", "__proto__", "text"];
  const inner = ["artifactId", "artifact_id", "name", "description", "parts", "metadata", "extensions"];
  const changes = (of: readonly string[]) =>
    fc.array(fc.tuple(fc.constantFrom(...of), fc.option(odd, { nil: undefined })), { maxLength: 2 });
  fc.assert(
    fc.property(changes(names), changes(inner), (outer, within) => {
      const event = { artifactUpdate: changed({ ...update, artifact: changed(artifact, within) }, outer) };
      const plain = plainPiece(event);
      // What the schema does not know it drops, and so it has to look at this one.
      if (plain) expect(plain).toEqual(decodeV1Event({ ...event, unknown: 1 }));
    }),
    { numRuns: 2_000 },
  );
});

function changed(value: object, changes: readonly (readonly [string, unknown])[]): object {
  const copy = new Map(Object.entries(value));
  for (const [name, to] of changes) {
    if (to === undefined) copy.delete(name);
    else copy.set(name, to);
  }
  return JSON.parse(`{${[...copy].map(([name, to]) => `${JSON.stringify(name)}:${JSON.stringify(to)}`)}}`);
}
