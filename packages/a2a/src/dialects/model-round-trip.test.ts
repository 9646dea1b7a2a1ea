import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StreamResponse } from "../protocol/model.ts";
import type { Dialect, OperationResults, StoredEvent, UnaryOperation } from "./dialect.ts";
import * as ours from "./testing/canonical-arbitraries.ts";
import { always, same, stored, travelled } from "./testing/properties.ts";
import { v1Dialect } from "./v1/dialect.ts";
import { v01Dialect } from "./v01/dialect.ts";
import { v03Dialect } from "./v03/dialect.ts";

const ALL = [v1Dialect, v03Dialect, v01Dialect];

function throughAnswer<O extends UnaryOperation>(dialect: Dialect, operation: O, it: OperationResults[O]) {
  return dialect.decodeResult(operation, travelled(dialect.encodeResult(operation, it, { id: "task-1" })));
}

function throughStream(dialect: Dialect, events: readonly StreamResponse[]): StreamResponse[] {
  const encode = dialect.eventEncoder(numbering());
  const decode = dialect.eventDecoder();
  const frames = events.flatMap((event) => encode(stored(event)));
  return frames.flatMap((json) => decode(JSON.parse(json)));
}

/** The place of each artifact, by the order in which they are asked for. */
function numbering(): (artifactId: string) => number {
  const seen = new Map<string, number>();
  return (artifactId) => {
    if (!seen.has(artifactId)) seen.set(artifactId, seen.size);
    return seen.get(artifactId) ?? 0;
  };
}

describe.each(ALL)("our model through $version and back (S1.28, +11)", (dialect) => {
  it("keeps every task", () => {
    always(ours.task, (task) => {
      same(throughAnswer(dialect, "get", task), task);
    });
  });

  it("keeps a response that is a message", () => {
    always(ours.message, (message) => {
      same(throughAnswer(dialect, "send", { message }), { message });
      same(throughStream(dialect, [{ message }]), [{ message }]);
    });
  });

  it("keeps every update of a stream", () => {
    always(fc.array(ours.update("task-1", "context-1"), { maxLength: 8 }), (events) => {
      same(throughStream(dialect, events), events);
    });
  });

  it("keeps every push config, but for the id that v0.1 does not have", () => {
    always(ours.pushConfig, (config) => {
      const { id: _, ...withoutId } = config;
      const expected = dialect.version === "0.1" ? withoutId : config;
      same(throughAnswer(dialect, "getPush", config), expected);
    });
  });

  it("keeps a request to send, which v0.1 marks as naming its task itself", () => {
    always(fc.tuple(ours.sendRequest, fc.constantFrom("send", "stream")), ([request, operation]) => {
      const params = travelled(dialect.encodeRequest(operation, request));
      const expected = dialect.version === "0.1" ? { ...request, clientTaskId: true } : request;
      same(dialect.decodeRequest(operation, params), expected);
    });
  });
});

describe("a whole stream", () => {
  it.each([v1Dialect, v03Dialect])("round-trips through $version", (dialect) => {
    always(ours.taskStream, (events) => {
      same(throughStream(dialect, events), events);
    });
  });

  it("round-trips through v0.1 with the first task's artifacts as events and without its history", () => {
    always(ours.taskStream, ([first, ...updates]) => {
      if (first === undefined || !("task" in first)) throw new Error("a stream starts with its task");
      const { artifacts = [], history: _, ...task } = first.task;
      const names = { taskId: task.id, contextId: task.contextId };
      const pieces = artifacts.map((artifact) => ({ artifactUpdate: { ...names, artifact, append: false } }));
      const isOver = /COMPLETED|FAILED|CANCELED|REJECTED/.test(task.status.state);
      const end = isOver ? [{ statusUpdate: { ...names, status: task.status } }] : [];
      const expected = [{ task }, ...pieces, ...end, ...updates];
      same(throughStream(v01Dialect, [first, ...updates]), expected);
    });
  });

  it("is not parsed in v1.0: the stored text is sent unchanged", () => {
    const event: StoredEvent = {
      json: "stored",
      get payload(): StreamResponse {
        throw new Error("parsed");
      },
    };
    expect(v1Dialect.eventEncoder(() => 0)(event)).toEqual(["stored"]);
  });
});

describe("a list", () => {
  it("of tasks round-trips through v1.0", () => {
    always(ours.listResponse, (response) => {
      same(throughAnswer(v1Dialect, "list", response), response);
    });
  });

  it.each([v1Dialect, v03Dialect])("of push configs round-trips through $version", (dialect) => {
    always(fc.array(ours.pushConfig, { maxLength: 3 }), (configs) => {
      const page = { configs, nextPageToken: "" };
      same(throughAnswer(dialect, "listPush", page), page);
    });
  });
});

describe("requests about push configs", () => {
  it.each([v1Dialect, v03Dialect])("round-trip through $version", (dialect) => {
    always(fc.tuple(ours.pushConfig, ours.text), ([config, id]) => {
      const { taskId } = config;
      const set = travelled(dialect.encodeRequest("createPush", config));
      same(dialect.decodeRequest("createPush", set), config);
      for (const operation of ["getPush", "deletePush"] as const) {
        const params = travelled(dialect.encodeRequest(operation, { taskId, id }));
        same(dialect.decodeRequest(operation, params), { taskId, id });
      }
    });
  });
});
