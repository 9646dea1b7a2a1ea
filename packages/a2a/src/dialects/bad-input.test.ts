import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { A2AError } from "../protocol/errors.ts";
import type { Json } from "../protocol/model.ts";
import { DIALECTS } from "./choose-dialect.ts";
import type { Operation } from "./dialect.ts";
import * as ours from "./testing/canonical-arbitraries.ts";
import { always, stored, travelled } from "./testing/properties.ts";

const OPERATIONS: readonly Operation[] = [
  "send",
  "stream",
  "get",
  "list",
  "cancel",
  "subscribe",
  "createPush",
  "getPush",
  "listPush",
  "deletePush",
  "extendedCard",
];

const junk = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<Json>,
  fc.constantFrom<Json>(null, "", -1, 1e300, [], {}, [[]], { text: 1 }, "\u0000", "__proto__"),
);

/** A value with one of its members, however deep, replaced. */
function spoilt(value: unknown, [step, ...steps]: readonly number[], by: Json): unknown {
  if (typeof value !== "object" || value === null || step === undefined) return by;
  const names = Object.keys(value);
  const name = names[step % Math.max(1, names.length)];
  if (name === undefined) return by;
  const member = spoilt(Reflect.get(value, name), steps, by);
  if (Array.isArray(value)) return value.with(Number(name), member);
  return { ...value, [name]: member };
}

const path = fc.array(fc.nat(9), { minLength: 1, maxLength: 5 });

/** The kinds of error that these may end in. */
function endsWell(kinds: readonly string[], act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof A2AError)) throw error;
    expect(kinds).toContain(error.kind);
    if (error.kind !== "UnsupportedOperation") expect(error.details.field).toBeTruthy();
  }
}

describe.each(DIALECTS)("bad input in $version", (dialect) => {
  it("is an invalid-params error that names the field, whatever the params are", () => {
    always(fc.tuple(fc.constantFrom(...OPERATIONS), junk), ([operation, params]) => {
      endsWell(["InvalidParams", "UnsupportedOperation"], () => dialect.decodeRequest(operation, params));
    });
  });

  it("is an invalid-params error if one member of a valid request is corrupted", () => {
    always(fc.tuple(ours.sendRequest, path, junk), ([request, steps, by]) => {
      const params = spoilt(travelled(dialect.encodeRequest("send", request)), steps, by);
      endsWell(["InvalidParams"], () => dialect.decodeRequest("send", params));
    });
  });

  it("is an invalid-response error if one member of a response or event is corrupted", () => {
    always(fc.tuple(ours.task, ours.update("t", "c"), path, junk), ([task, update, steps, by]) => {
      const answer = spoilt(travelled(dialect.encodeResult("get", task)), steps, by);
      endsWell(["InvalidAgentResponse"], () => dialect.decodeResult("get", answer));
      const [json = ""] = dialect.eventEncoder(() => 0)(stored(update));
      endsWell(["InvalidAgentResponse"], () => dialect.eventDecoder()(spoilt(JSON.parse(json), steps, by)));
    });
  });

  it("is ignored in members that the dialect does not define", () => {
    always(fc.tuple(ours.sendRequest, junk), ([request, by]) => {
      const params = travelled(dialect.encodeRequest("send", request)) as object;
      const { message, ...rest } = dialect.decodeRequest("send", { ...params, unheardOf: by });
      expect(message.role).toBe(request.message.role);
      expect(rest).not.toHaveProperty("unheardOf");
    });
  });
});
