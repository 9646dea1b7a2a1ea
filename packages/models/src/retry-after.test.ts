import { expect, it } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

it.each([
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after-ms": "20", "retry-after": "7" }, 20],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" }, 9_000],
  [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
  [{ "retry-after": "99999999" }, 600_000],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
])("reads the headers %j as %s ms", (headers, expected) => {
  expect(retryAfterMs(headers, "", now)).toBe(expected);
});

it.each([
  ['{"error":{"details":[{"reason":"x"},{"retryDelay":"34.5s"}]}}', 34_500],
  ['{"error":{"details":"none"}}', undefined],
  ["<html>", undefined],
])("reads the response %s as %s ms", (body, expected) => {
  expect(retryAfterMs({}, body)).toBe(expected);
});
