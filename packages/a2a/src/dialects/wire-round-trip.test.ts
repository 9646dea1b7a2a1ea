import fc from "fast-check";
import { describe, it } from "vitest";
import { always, same, stored, travelled } from "./testing/properties.ts";
import * as wire from "./testing/wire-arbitraries.ts";
import { v01Dialect } from "./v01/dialect.ts";
import { v03Dialect } from "./v03/dialect.ts";

const numberIn = (artifactId: string) => Number(artifactId.split("-").at(-1));

describe("v0.3 through our model and back (S1.28)", () => {
  it("keeps every event", () => {
    always(wire.v03Event, (event) => {
      const encode = v03Dialect.eventEncoder(() => 0);
      const decode = v03Dialect.eventDecoder();
      const back = decode(travelled(event)).flatMap((it) => encode(stored(it)));
      same(
        back.map((it) => JSON.parse(it)),
        [travelled(event)],
      );
    });
  });

  it("keeps every task and message of a response", () => {
    always(fc.oneof(wire.v03Task, wire.v03Message), (answer) => {
      const decoded = v03Dialect.decodeResult("send", travelled(answer));
      same(v03Dialect.encodeResult("send", decoded), travelled(answer));
    });
  });

  it("keeps every push config", () => {
    always(wire.v03PushConfig, (config) => {
      const decoded = v03Dialect.decodeResult("getPush", travelled(config));
      same(v03Dialect.encodeResult("getPush", decoded), travelled(config));
    });
  });

  it("keeps every request that states `blocking`", () => {
    always(wire.v03SendParams, (params) => {
      const decoded = v03Dialect.decodeRequest("send", travelled(params));
      same(v03Dialect.encodeRequest("send", decoded), travelled(params));
    });
  });
});

describe("v0.1 through our model and back (S1.28)", () => {
  it("keeps every stream", () => {
    always(fc.array(wire.v01Event("task-1"), { maxLength: 6 }), (events) => {
      const decode = v01Dialect.eventDecoder();
      const encode = v01Dialect.eventEncoder(numberIn);
      const back = events.flatMap((event) => decode(travelled(event))).flatMap((it) => encode(stored(it)));
      same(
        back.map((it) => JSON.parse(it)),
        travelled(events),
      );
    });
  });

  it("keeps every task", () => {
    always(wire.v01Task, (task) => {
      const decoded = v01Dialect.decodeResult("get", travelled(task));
      same(v01Dialect.encodeResult("get", decoded), travelled(task));
    });
  });

  it("keeps every push config", () => {
    always(wire.v01PushConfig, (config) => {
      const decoded = v01Dialect.decodeResult("getPush", travelled(config));
      same(v01Dialect.encodeResult("getPush", decoded), travelled(config));
    });
  });

  it("keeps every request", () => {
    always(wire.v01SendParams, (params) => {
      const decoded = v01Dialect.decodeRequest("send", travelled(params));
      same(v01Dialect.encodeRequest("send", decoded), travelled(params));
    });
  });
});
