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

describe("a request to several doers", () => {
  const doers = ["doors", "windows", "roof"];
  const doerIn = (text: string) => doers.find((doer) => text.includes(doer));
  const areApart = (left: string, right: string) =>
    doerIn(left) !== undefined && doerIn(right) !== undefined && doerIn(left) !== doerIn(right);
  const texts = (request: string) =>
    splitRequest(request, { isTask: (text) => verbs.test(text), areApart }).map(({ text }) => text);

  it.each([
    ["check doors and windows simultaneously", ["check doors", "check windows"]],
    ["check the doors, the windows and the roof", ["check the doors", "check the windows", "check the roof"]],
    [
      "What is the state of the doors and the windows?",
      ["What is the state of the doors", "What is the windows?"],
    ],
    ["check the doors and open the windows", ["check the doors", "open the windows"]],
    ["check red and blue doors at the same time", ["check red and blue doors at the same time"]],
  ])("%j gives each its part", (request, expected) => {
    expect(texts(request)).toEqual(expected);
  });
});
