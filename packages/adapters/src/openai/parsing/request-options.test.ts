import { expect, it } from "vitest";
import { unusedHeader, unusedOptions } from "./request-options.ts";

it("unusedOptions names the unused options only", () => {
  const body = {
    model: "m",
    messages: [],
    stream: true,
    temperature: 1,
    top_p: 0.5,
    user: "u",
    seed: null,
    tools: [],
  };
  expect(unusedOptions("chat", body)).toEqual(["temperature", "top_p", "user"]);
  expect(unusedHeader(["a", "b"])).toEqual({ "X-Parley-Unused": "a, b" });
  expect(unusedHeader([])).toEqual({});
});

it.each([
  ["tools", [{ type: "function" }]],
  ["functions", [{}]],
  ["tool_choice", "required"],
  ["n", 2],
  ["logprobs", true],
  ["top_logprobs", 3],
  ["audio", {}],
  ["modalities", ["text", "audio"]],
  ["response_format", { type: "json_schema" }],
  ["text", { format: { type: "json_object" } }],
  ["stop", ["x"]],
  ["prompt", { id: "p" }],
])("refuses %s, which would change what the answer is", (name, value) => {
  expect(() => unusedOptions("responses", { [name]: value })).toThrow(
    expect.objectContaining({ openAi: { param: name, code: "unsupported_parameter" } }),
  );
});

it.each([
  ["tool_choice", "auto"],
  ["n", 1],
  ["logprobs", false],
  ["modalities", ["text"]],
  ["response_format", { type: "text" }],
  ["text", { verbosity: "low" }],
  ["stop", null],
])("takes %s where it asks for what is so anyway", (name, value) => {
  expect(() => unusedOptions("chat", { [name]: value })).not.toThrow();
});

it("unusedOptions names nothing that is invalid in a header", () => {
  expect(unusedOptions("chat", { "a\r\nb": 1, ok: 1, text: { verbosity: "low" } })).toEqual([
    ...["ok", "text.verbosity"],
  ]);
});
