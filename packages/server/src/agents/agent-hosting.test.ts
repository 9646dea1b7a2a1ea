import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, freePortRange } from "@parley/testing/free-ports.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, vi } from "vitest";
import { agentFile, agentsFolder, scripted, shippedCopy } from "../testing/agent-files.ts";
import { answerIn, endOf, say, wordsOf } from "../testing/conversation.ts";
import { portTaker, ServerProcess, takenPort } from "../testing/server-process.ts";

async function host(agents: string, environment: Record<string, string> = {}) {
  const data = environment.PARLEY_DATA ?? (await testFolder());
  return new ServerProcess({
    PARLEY_DATA: data,
    PARLEY_AGENTS: agents,
    PARLEY_MODEL: "offline",
    ...environment,
  });
}

async function readiness(server: ServerProcess) {
  const response = await fetch(`${await server.url()}/readyz`);
  return { code: response.status, ...JSON.parse(await response.text()) };
}

async function cardOf(url: string, path = "agent-card.json") {
  return JSON.parse(await (await fetch(`${url}/.well-known/${path}`)).text());
}

const isServed = (url: string) =>
  fetch(`${url}/.well-known/agent-card.json`).then(
    ({ ok }) => ok,
    () => false,
  );

// Each test starts processes, which start further ones.
vi.setConfig({ testTimeout: 180_000 });

describe("an agent's port", () => {
  it("is the one in its file, relative to the main port or fixed, or is assigned once and remembered", async () => {
    const main = await freePortRange(12);
    const agents = await agentsFolder({
      "after.md": agentFile("Comes after.", "port: +3"),
      "fixed.md": agentFile("Is fixed.", `port: ${main + 5}`),
      "named.md": agentFile("Names what would be assigned.", "port: +10"),
      "second.md": agentFile("Names none."),
      "third.md": agentFile("Names none either."),
    });
    const data = await testFolder();
    const environment = { PORT: String(main), PARLEY_DATA: data };
    const first = await host(agents, environment);
    const ports = async (server: ServerProcess, ...names: string[]) =>
      Promise.all(names.map(async (name) => Number(new URL(await server.agentUrl(name)).port) - main));
    expect(await ports(first, "after", "fixed", "named")).toEqual([3, 5, 10]);
    const assigned = await ports(first, "second", "third");
    expect([...assigned].sort()).toEqual([11, 12]);
    await first.end();
    await rm(join(agents, assigned[0] === 11 ? "second.md" : "third.md"));
    const again = await host(agents, environment);
    expect(await ports(again, assigned[0] === 11 ? "third" : "second")).toEqual([12]);
  });

  it("fails only its own agent when it is taken, and reports that", async () => {
    const port = await takenPort();
    const agents = await agentsFolder({
      "unlucky.md": agentFile("Has no port.", `port: ${port}`),
      "lucky.md": agentFile("Has one."),
    });
    const server = await host(agents);
    expect(await isServed(await server.agentUrl("lucky"))).toBe(true);
    const said = `Port ${port} is in use by another program; stop it, or set another "port:" in ${join(agents, "unlucky.md")}`;
    await expect.poll(() => server.output).toContain(`✗ unlucky    ${said}`);
    expect(await readiness(server)).toMatchObject({
      code: 200,
      checks: { agents: { lucky: "up", unlucky: [said] } },
    });
    await expect.poll(() => server.errors).toContain("agent failed to start");
    // The file moves it to a port that is free.
    await writeFile(join(agents, "unlucky.md"), agentFile("Has no port."));
    await expect.poll(async () => (await readiness(server)).checks.agents.unlucky).toBe("up");
  });
});

describe("an agent whose port is taken", () => {
  it("retries, and serves once the port is free", async () => {
    const { port, giveBack } = await portTaker();
    const agents = await agentsFolder({ "patient.md": agentFile("Waits.", `port: ${port}`) });
    const server = await host(agents);
    await server.agentUrl("patient");
    const failures = () => server.errors.match(/agent failed to start/g)?.length ?? 0;
    await expect.poll(failures, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
    await expect.poll(() => server.errors).toContain('"retryInMs":500');
    expect((await readiness(server)).checks.agents.patient).toEqual([
      expect.stringContaining(`Port ${port} is in use`),
    ]);
    giveBack();
    const url = `http://localhost:${port}`;
    await expect.poll(() => isServed(url), { timeout: 60_000 }).toBe(true);
    await expect.poll(async () => (await readiness(server)).checks.agents.patient).toBe("up");
    await expect.poll(() => server.errors).toContain("agent has recovered");
    expect(endOf(await say(url, "Hello"))).toBe("completed");
  });
});

describe("an agent's card", () => {
  it("is generated from the file and served at both well-known paths with an ETag (S1.2)", async () => {
    const server = await host(await shippedCopy("calculator"));
    const url = await server.agentUrl("calculator");
    for (const path of ["agent-card.json", "agent.json"]) {
      const response = await fetch(`${url}/.well-known/${path}`);
      const card = JSON.parse(await response.text());
      expect(card).toMatchObject({ name: "calculator", version: "1.0.0", url: `${url}/` });
      expect(card.skills.map(({ id }: { id: string }) => id)).toEqual(["arithmetic"]);
      const tag = response.headers.get("etag") ?? "";
      const again = await fetch(`${url}/.well-known/${path}`, { headers: { "If-None-Match": tag } });
      expect([tag.length > 10, again.status]).toEqual([true, 304]);
    }
  });
});

describe("changed agent files", () => {
  it("are reloaded without a restart: changed, added, broken, repaired, removed", async () => {
    const agents = await agentsFolder({ "one.md": agentFile("Is the first.") });
    const server = await host(agents);
    const one = await server.agentUrl("one");
    const before = await fetch(`${one}/.well-known/agent-card.json`);

    await writeFile(join(agents, "one.md"), agentFile("Has changed."));
    await expect.poll(async () => (await cardOf(one)).description).toBe("Has changed.");
    const tag = before.headers.get("etag") ?? "";
    const changed = await fetch(`${one}/.well-known/agent-card.json`, { headers: { "If-None-Match": tag } });
    expect(changed.status).toBe(200);

    await writeFile(join(agents, "two.md"), agentFile("Came later."));
    await expect.poll(async () => (await readiness(server)).checks.agents.two).toBe("up");

    await writeFile(join(agents, "one.md"), agentFile("Is broken.", "prot: 7"));
    await expect.poll(async () => (await readiness(server)).checks.files).toHaveLength(1);
    const [problem] = (await readiness(server)).checks.files;
    expect(problem).toContain(`${join(agents, "one.md")}:3: `);
    expect(problem).toContain("port");
    expect((await cardOf(one)).description).toBe("Has changed.");
    await expect.poll(() => server.errors).toContain('"line":3');
    expect(await (await fetch(`${await server.url()}/status`)).text()).toContain("one.md:3: ");

    await writeFile(join(agents, "one.md"), agentFile("Is mended."));
    await expect.poll(async () => (await cardOf(one)).description).toBe("Is mended.");
    expect((await readiness(server)).checks.files).toEqual([]);

    await rm(join(agents, "one.md"));
    await expect.poll(() => isServed(one)).toBe(false);
    expect(Object.keys((await readiness(server)).checks.agents)).toEqual(["two"]);
  });

  it("apply to new tasks, tools included", async () => {
    const agents = await agentsFolder({ "helper.md": agentFile("Helps.") }, { tools: scripted("serve") });
    const server = await host(agents);
    const url = await server.agentUrl("helper");
    const question = 'echo "hello"';
    expect(answerIn(await say(url, question))).toContain("no tool");
    await writeFile(
      join(agents, "helper.md"),
      agentFile("Helps.", "mcpServers: [tools]", "approval: always"),
    );
    await expect.poll(async () => answerIn(await say(url, question)), { timeout: 60_000 }).toContain("hello");
  });

  it("leak nothing after fifty changes", async () => {
    const file = (n: number) => agentFile(`Is number ${n}.`, "mcpServers: [tools]");
    const agents = await agentsFolder({ "one.md": file(0) }, { tools: scripted("serve") });
    const server = await host(agents);
    const url = await server.agentUrl("one");
    const pid = server.child.pid ?? 0;
    const figures = async () => {
      const status = await readFile(`/proc/${pid}/status`, "utf8");
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
      return {
        megabytes: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024,
        handles: (await readdir(`/proc/${pid}/fd`)).length,
        children: children.trim().split(" ").length,
      };
    };
    const change = async (n: number) => {
      await writeFile(join(agents, "one.md"), file(n));
      // Every fifth time the server itself is another one too.
      const servers = { tools: scripted("serve", `${Math.floor(n / 5)}`) };
      if (n % 5 === 0) await writeFile(join(agents, "mcp.json"), JSON.stringify({ mcpServers: servers }));
      await expect
        .poll(async () => (await cardOf(url)).description, { timeout: 60_000, interval: 10 })
        .toBe(`Is number ${n}.`);
    };
    for (let n = 1; n <= 5; n++) await change(n);
    const early = await figures();
    for (let n = 6; n <= 55; n++) await change(n);
    await expect.poll(async () => (await figures()).children, { timeout: 60_000 }).toBe(1);
    const late = await figures();
    expect(late.handles).toBeLessThanOrEqual(early.handles + 8);
    expect(late.megabytes).toBeLessThan(early.megabytes + 40);
  });
});

describe("an MCP server that fails", () => {
  it("is named in the answer, the card, the log and the probe, and the other tools keep working", async () => {
    const agents = await agentsFolder(
      {
        "helper.md": agentFile("Helps.", "mcpServers: [missing, dying, talking, tools]", "approval: always"),
      },
      {
        missing: { command: "no-such-program" },
        dying: scripted("die", "I have no licence"),
        talking: { ...scripted("garbage") },
        tools: scripted("serve"),
      },
    );
    const server = await host(agents);
    const url = await server.agentUrl("helper");
    const reasons = [
      "the command no-such-program was not found",
      "I have no licence",
      "this is no MCP server",
    ];
    const missingIn = (text: string) => reasons.filter((reason) => !text.includes(reason));
    // The start waits for tools only so long: on a busy machine it comes before what they have to say.
    await expect.poll(async () => missingIn(JSON.stringify(await readiness(server)))).toEqual([]);
    expect((await readiness(server)).code).toBe(200);
    const events = await say(url, 'echo "hello"');
    for (const place of [JSON.stringify(await cardOf(url)), answerIn(events), server.errors])
      expect(missingIn(place)).toEqual([]);
    expect(server.output.includes("still starting") ? [] : missingIn(server.output), server.output).toEqual(
      [],
    );
    expect([endOf(events), answerIn(events)]).toEqual(["completed", expect.stringContaining("hello")]);
  });
});

describe("an MCP server that is slow to start", () => {
  it("does not delay the other tools, and is named in the answer", async () => {
    const port = await freePort();
    const agents = await agentsFolder(
      {
        "helper.md": agentFile("Helps.", "mcpServers: [slow, tools]", "approval: always", `port: ${port}`),
      },
      { slow: scripted("silent"), tools: scripted("serve") },
    );
    const server = await host(agents);
    await server.url();
    const url = `http://localhost:${port}`;
    await expect.poll(() => isServed(url), { timeout: 60_000 }).toBe(true);
    expect((await readiness(server)).code).toBe(503);
    const events = await say(url, 'echo "hello"');
    expect(endOf(events)).toBe("completed");
    expect(answerIn(events)).toMatch(/The tools of slow are not available: it is still starting.*hello/s);
  });
});

describe("an agent's model", () => {
  it("is named in the agent's status, card and answer if it cannot be used", async () => {
    const agents = await agentsFolder({
      "keyless.md": agentFile("Has no key.", "model: anthropic:claude-x"),
    });
    const server = await host(agents);
    const url = await server.agentUrl("keyless");
    const trouble = "anthropic:claude-x needs a key: set ANTHROPIC_API_KEY";
    await expect.poll(() => server.output).toContain(`✗ keyless    ${url}   ${trouble}`);
    expect(JSON.stringify(await cardOf(url))).toContain(trouble);
    const events = await say(url, "Hello");
    expect([endOf(events), events.map(wordsOf).join()]).toEqual(["failed", expect.stringContaining(trouble)]);
  });

  it("can be the offline model of the main port, as an OpenAI-compatible endpoint (S0.3)", async () => {
    const main = await freePortRange(1);
    const model = `model: openai-compatible:offline@http://localhost:${main}/offline-model/v1`;
    const agents = await agentsFolder(
      { "helper.md": agentFile("Helps.", model, "mcpServers: [tools]", "approval: always", "port: +1") },
      { tools: scripted("serve") },
    );
    const server = await host(agents, { PORT: String(main), PARLEY_OFFLINE_MODEL_ENDPOINT: "on" });
    const events = await say(await server.agentUrl("helper"), 'echo "hello"');
    expect([endOf(events), answerIn(events)]).toEqual(["completed", expect.stringContaining("hello")]);
  });
});
