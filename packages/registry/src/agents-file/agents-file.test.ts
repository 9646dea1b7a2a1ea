import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LoopbackAgent } from "../testing/loopback-agent.ts";
import { watchedRegistry } from "../testing/watched-registry.ts";
import { AgentsFile } from "./agents-file.ts";

const SECRET = "s3cret-token";

/** A file that does not exist yet, read with these variables. */
async function agentsFile(variables: Record<string, string> = {}) {
  const path = join(await testFolder(), "agents.json");
  const heard: string[][] = [];
  const file = await AgentsFile.open({
    ...{ file: path, variables, lookMs: 10 },
    onProblems: (problems) => void heard.push(problems.map(({ line, message }) => `${line}: ${message}`)),
  });
  onTestFinished(() => file.close());
  const write = async (agents: unknown) => {
    // As editors do it: the file is never half there.
    await writeFile(`${path}.new`, typeof agents === "string" ? agents : JSON.stringify({ agents }));
    await rename(`${path}.new`, path);
  };
  return { file, path, write, heard };
}

const bearer = {
  securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
  securityRequirements: [{ schemes: { token: { list: [] } } }],
};

describe("the agents of a file (S4.25)", () => {
  it("are taken up as the file comes, changes and goes, without a restart", async () => {
    const [one, two] = [
      await LoopbackAgent.start({ name: "One" }),
      await LoopbackAgent.start({ name: "Two" }),
    ];
    const { file, path, write, heard } = await agentsFile();
    const { registry, until, untilState } = watchedRegistry(file);
    await registry.start();
    expect([registry.agents(), heard]).toEqual([[], []]);
    await write({ it: { url: one.url } });
    expect((await untilState("it", "up")).card?.name).toBe("One");
    await write({ it: { url: two.url } });
    await until(() => registry.agent("it")?.card?.name === "Two");
    await rm(path);
    await until(() => registry.agents().length === 0);
  });

  it("stay while the file is broken, which is told once, as is that it is mended", async () => {
    const { file, write, heard } = await agentsFile();
    const agents = { it: { url: "https://agent.example" } };
    await write(agents);
    await file.refresh();
    await write('{"agents": {\n');
    await expect.poll(() => heard).toHaveLength(1);
    expect(file.problems()).toMatchObject([{ line: 2, message: "expected a name in quotes" }]);
    expect(file.listings()).toMatchObject([{ name: "it" }]);
    await file.refresh();
    await write(agents);
    await expect.poll(() => heard).toHaveLength(2);
    expect(heard).toEqual([["2: expected a name in quotes"], []]);
  });

  it("cannot be read from a folder, which is a problem and no crash", async () => {
    const { file, path } = await agentsFile();
    await mkdir(path);
    await file.refresh();
    expect(file.problems()).toEqual([
      { file: path, line: 1, message: "expected a file that can be read (EISDIR)" },
    ]);
  });

  it("change no more once it is closed", async () => {
    const { file, write } = await agentsFile();
    const told = vi.fn();
    file.onChange(told);
    file.close();
    await write({ it: { url: "https://agent.example" } });
    await file.refresh();
    expect([file.listings(), told.mock.calls]).toEqual([[], []]);
  });

  it("get their credentials from the environment, and only they", async () => {
    const agent = await LoopbackAgent.start(bearer);
    const { file, write } = await agentsFile({ AGENT_TOKEN: SECRET });
    await write({
      it: { url: agent.url, auth: { token: { kind: "bearer", token: `\${AGENT_TOKEN}` } } },
      bare: { url: agent.url },
    });
    await file.refresh();
    const { registry } = watchedRegistry(file);
    await registry.start();
    const message = { messageId: "m1", role: "ROLE_USER" as const, parts: [{ text: "hello" }] };
    await registry.client("it").send({ message });
    expect(agent.calls.map(({ authorization }) => authorization)).toEqual([`Bearer ${SECRET}`]);
    expect(registry.agent("bare")).toMatchObject({
      state: "down",
      trouble: expect.stringMatching(/asks for token: configure a credential/),
    });
    expect(() => registry.client("bare")).toThrow(/asks for token/);
  });

  it("keep their secrets out of all that is told of them", async () => {
    const agent = await LoopbackAgent.start(bearer);
    const auth = (kind: string) => ({ token: { kind, token: `\${AGENT_TOKEN}`, value: SECRET } });
    const { file, write, heard } = await agentsFile({ AGENT_TOKEN: `${SECRET}\n` });
    await write({
      wrong: { url: agent.url, auth: auth("bearer") },
      unknown: { url: agent.url, auth: auth(SECRET) },
      user: { url: `http://me:${SECRET}@127.0.0.1` },
      line: { url: agent.url, auth: { token: { kind: "bearer", token: `\${AGENT_TOKEN}` } } },
    });
    await file.refresh();
    const { registry, heard: states } = watchedRegistry(file);
    await registry.start();
    const message = { messageId: "m1", role: "ROLE_USER" as const, parts: [{ text: "hello" }] };
    const error = await registry
      .client("line")
      .send({ message })
      .catch((it: unknown) => it);
    await agent.stop();
    await registry.recheck("line");
    const told = JSON.stringify([heard, file.problems(), registry.agents(), states, String(error)]);
    expect(heard).toHaveLength(1);
    expect(error).toMatchObject({ code: "invalid_credential" });
    expect(told).not.toContain(SECRET);
    expect(registry.agent("line")?.state).toBe("down");
  });
});
