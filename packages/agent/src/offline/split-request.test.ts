import { describe, expect, it } from "vitest";
import { splitRequest } from "./split-request.ts";

const verbs = /\b(list|close|show|send|sync|check)\b/i;
const parts = (request: string) =>
  splitRequest(request, { isTask: (text) => verbs.test(text) }).map(({ text, stage }) => [stage, text]);

describe("a request", () => {
  it.each([
    ["List the pods", [[0, "List the pods"]]],
    [
      "list pods and show logs",
      [
        [0, "list pods"],
        [0, "show logs"],
      ],
    ],
    [
      "list pods, show logs, and close 3",
      [
        [0, "list pods"],
        [0, "show logs"],
        [0, "close 3"],
      ],
    ],
    [
      "list pods and then show logs",
      [
        [0, "list pods"],
        [1, "show logs"],
      ],
    ],
    [
      "First list pods, then show logs and send mail, finally close it",
      [
        [0, "list pods"],
        [1, "show logs"],
        [1, "send mail"],
        [2, "close it"],
      ],
    ],
    [
      "List pods. After that, show logs.",
      [
        [0, "List pods."],
        [1, "show logs."],
      ],
    ],
    [
      "Please:\n- list pods\n- show logs",
      [
        [0, "list pods"],
        [0, "show logs"],
      ],
    ],
    [
      "1. list pods\n2) show logs",
      [
        [0, "list pods"],
        [0, "show logs"],
      ],
    ],
    ["show salt and pepper", [[0, "show salt and pepper"]]],
    ['send "list and then close"', [[0, 'send "list and then close"']]],
    ["Hi there! Show the logs. It is urgent.", [[0, "Hi there! Show the logs. It is urgent."]]],
    ["If it is down then show logs", [[0, "If it is down then show logs"]]],
    ["Good morning", []],
    ["", []],
  ])("%j has these parts", (request, expected) => {
    expect(parts(request)).toEqual(expected);
  });
});
