import { A2AClient, type Executor, textOf } from "@parley/a2a";
import { expect, it } from "vitest";
import { serveExecutor } from "./serve-executor.ts";

const skills = [{ id: "echo", name: "Echo", description: "Says it again.", tags: ["echo"] }];

const echo: Executor = {
  async execute({ message, artifact }) {
    await artifact({ name: "current_result" }).close([{ text: textOf(message) }]);
    return { state: "completed" };
  },
};

it("serveExecutor serves an executor as an agent with its own card until it is stopped (+10)", async () => {
  const failures: unknown[] = [];
  const served = await serveExecutor({
    ...{ name: "echo", description: "Repeats.", skills, executor: echo },
    report: (error) => failures.push(error),
  });
  const policy = { allowOrigins: [served.url] };
  const client = await A2AClient.connect(served.url, { policy });
  expect(client.card).toMatchObject({ name: "echo", description: "Repeats.", skills });
  const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "Hello" }] };
  let said = "";
  for await (const { event } of client.stream({ message }))
    if ("artifactUpdate" in event) said += textOf(event.artifactUpdate.artifact);
  expect(said).toBe("Hello");
  expect((await fetch(`${served.url}/elsewhere`)).status).toBe(404);
  await served.stop();
  await expect(A2AClient.connect(served.url, { policy })).rejects.toThrow();
  expect(failures).toEqual([]);
});
