import { describe, expect, it } from "vitest";
import { createLogger, logLevel } from "./logger.ts";

const CANARY = "canary-7f3a";

function logged(write: (log: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = [];
  write(createLogger("info", { write: (line) => void lines.push(line) }));
  return lines;
}

describe("createLogger", () => {
  it("writes one JSON object per line, with time, level and message", () => {
    const [line = "", ...others] = logged((log) => log.info({ taskId: "t" }, "task\nended"));
    expect([JSON.parse(line), others]).toEqual([
      {
        level: "info",
        time: expect.stringMatching(/Z$/),
        service: "parley",
        taskId: "t",
        msg: "task\nended",
      },
      [],
    ]);
    expect(line.trimEnd()).not.toContain("\n");
  });

  it("writes nothing below its level", () => {
    expect(logged((log) => log.debug("x"))).toEqual([]);
  });

  it.each([
    { authorization: CANARY },
    { headers: { authorization: CANARY, cookie: CANARY, "x-api-key": CANARY, "set-cookie": [CANARY] } },
    { request: { headers: { authorization: CANARY } } },
    { push: { config: { authentication: { credentials: CANARY } } } },
    { config: { token: CANARY, password: CANARY, apiKey: CANARY, secret: CANARY } },
    {
      list: [{ access_token: CANARY }, { Authorization: CANARY, "X-API-Key": CANARY, client_secret: CANARY }],
    },
    { url: `http://me:${CANARY}@host/`, urls: [`see postgres://${CANARY}@host:5432/db`] },
    { err: new Error(`cannot reach https://me:${CANARY}@host/path`) },
    { err: Object.assign(new Error("x"), { request: { headers: { authorization: CANARY } } }) },
  ])("never contains a secret: %j", (fields) => {
    const [line = ""] = logged((log) => log.error(fields, "failed"));
    expect(line).toContain("[secret]");
    expect(line).not.toContain(CANARY);
  });

  it("does not modify its arguments, and handles circular and deep values", () => {
    const fields: Record<string, unknown> = { headers: { authorization: CANARY }, when: new Date(0) };
    fields.self = fields;
    const [line = ""] = logged((log) => log.info(fields, "x"));
    expect([line.includes(CANARY), line.includes("1970-01-01"), line.includes("[deep]")]).toEqual([
      false,
      true,
      true,
    ]);
    expect(fields.headers).toEqual({ authorization: CANARY });
  });

  it("includes an error's stack", () => {
    const [line = ""] = logged((log) => log.error({ err: new Error("broken") }, "failed"));
    expect(JSON.parse(line).err).toMatchObject({
      message: "broken",
      stack: expect.stringContaining("logger.test"),
    });
  });

  it("takes its level from PARLEY_LOG and refuses an invalid one", () => {
    expect([logLevel(undefined), logLevel(""), logLevel("DEBUG"), logLevel(undefined, "warn")]).toEqual([
      "info",
      "info",
      "debug",
      "warn",
    ]);
    expect(() => logLevel("loud")).toThrow("PARLEY_LOG must be one of");
  });
});
