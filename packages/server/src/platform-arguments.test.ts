import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, inject, it, onTestFinished } from "vitest";
import { platformArguments } from "./platform-arguments.ts";
import { refusal, ServerProcess } from "./testing/server-process.ts";

const MAIN = new URL("main.ts", import.meta.url).pathname;

function started(...args: string[]): ServerProcess {
  return new ServerProcess({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }, [], {
    program: [MAIN, ...args],
  });
}

it("arguments of npm start override the environment (+12)", async () => {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  const server = started("--database", url, "--data", await testFolder());
  await server.url();
  await expect
    .poll(() => server.output)
    .toContain(`Postgres in the database ${new URL(url).pathname.slice(1)}`);
  expect(await server.end("SIGTERM")).toMatchObject({ code: 0 });
});

it("paths are relative to the user's working directory", () => {
  expect(platformArguments(["--data", "data", "--agents", "/mine", "--port", "1"], "/home/me")).toEqual({
    ...{ PARLEY_DATA: "/home/me/data", PARLEY_AGENTS: "/mine", PORT: "1" },
  });
});

it.each([["--databse", "postgres://user:s3cret@host/db"], ["postgres://user:s3cret@host/db"]])(
  "an unknown argument is refused without quoting it: %s",
  async (...args) => {
    const sentence = await refusal(started(...args));
    expect(sentence).toContain("npm start -- [--database URL]");
    expect(sentence).not.toContain("s3cret");
  },
);
