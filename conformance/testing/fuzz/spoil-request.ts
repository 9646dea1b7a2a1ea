import type { HttpQuestion } from "./http-exchange.ts";
import type { Random } from "./random.ts";

const VERSIONS = [
  "",
  "1.0",
  "0.3",
  "0.1",
  "1.0.7",
  "9.9",
  "1",
  "latest",
  "1.0, 0.3",
  "1.0;x",
  "\u00e9",
  "-1.0",
  "0x1.0",
];
const CURSORS = [
  "",
  "0",
  "1",
  "2",
  "99999999",
  "-1",
  "1.5",
  "1e3",
  "0x10",
  "abc",
  "9007199254740993",
  " 1 ",
  "\u00ff",
];
const KEYS = ["", "k", "x".repeat(300), "a b", "\u00e9", "../..", '"quoted"', "k,k"];
const TYPES = [
  "application/json",
  "application/a2a+json",
  "application/json; charset=utf-16",
  "application/ld+json",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "",
  ";",
];
const METHODS = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "POST", "TRACE", "PROPFIND"];

/** A request with, at times, one odd header or another method. */
export function spoilRequest(question: HttpQuestion, random: Random): HttpQuestion {
  switch (random.below(14)) {
    case 0:
      return withHeader(question, "a2a-version", random.pick(VERSIONS));
    case 1:
      return withHeader(question, "last-event-id", random.pick(CURSORS));
    case 2:
      return withHeader(question, "idempotency-key", random.pick(KEYS));
    case 3:
      return withHeader(question, "content-type", random.pick(TYPES));
    case 4:
      return withHeader(
        question,
        "accept",
        random.pick(["", "image/png", "text/event-stream;q=0", "*/*;q=x"]),
      );
    case 5:
      return { ...question, method: random.pick(METHODS) };
    case 6:
      return withHeader(question, "a2a-extensions", random.pick(["", ",,,", "urn:x", "x".repeat(4_000)]));
    default:
      return question;
  }
}

function withHeader(question: HttpQuestion, name: string, value: string): HttpQuestion {
  return { ...question, headers: { ...question.headers, [name]: value } };
}
