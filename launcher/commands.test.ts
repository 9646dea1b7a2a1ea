import { expect, it } from "vitest";
import { LocalRegistry } from "./local-registry.ts";
import { TemporaryProject } from "./temporary-project.ts";

it.each(["", "strat", "constructor"])('lists the commands for the unknown command "%s"', async (command) => {
  expect(await new TemporaryProject().run(command)).toMatchObject({
    exitCode: 1,
    stderr: `Unknown command "${command}": use one of start, parley, agent, test, check, format, bench, chaos, soak, sbom, container-test, conformance-agent, openapi-types, screenshots.\n`,
  });
});

it("lists the benchmarks for a missing or an unknown name", async () => {
  const project = new TemporaryProject();
  for (const file of ["journal.ts", "journal.test.ts", "tokens.ts", "package.json"])
    project.write(`benchmarks/${file}`, "");
  const advice = 'use "npm run bench -- NAME" with one of journal, tokens.\n';
  expect(await project.run("bench")).toMatchObject({
    exitCode: 1,
    stderr: `Missing benchmark name: ${advice}`,
  });
  expect(await project.run("bench ../x")).toMatchObject({
    exitCode: 1,
    stderr: `Unknown benchmark "../x": ${advice}`,
  });
});

it("runs a benchmark, and leaves stdout to it", async () => {
  const project = new TemporaryProject();
  project.write("benchmarks/journal.ts", "const figure: number = 1; console.log(figure, process.argv[2])");
  expect(await project.run("bench journal --short")).toMatchObject({ exitCode: 0, stdout: "1 --short\n" });
});

it("keeps Node's compile cache for the next start, unless the user chose another folder", async () => {
  const project = new TemporaryProject();
  project.write("packages/server/src/main.ts", "console.log(process.env.NODE_COMPILE_CACHE)");
  const { stdout } = await project.run("start", { environment: { NODE_COMPILE_CACHE: undefined } });
  expect(stdout).toBe(`${project.path("node_modules/.cache/compiled")}\n`);
  const chosen = await project.run("start", { environment: { NODE_COMPILE_CACHE: "/elsewhere" } });
  expect(chosen.stdout).toBe("/elsewhere\n");
});

it("lists its packages for scanners, and marks those that only development needs", async () => {
  const registry = await LocalRegistry.open();
  const project = new TemporaryProject();
  project.environment.npm_config_registry = registry.url;
  const [thing, tool] = ["thing", "tool"].map((name) => registry.publish(name, { files: {} }));
  project.lock({ thing: thing ?? "", tool: tool ?? "" }, ["tool"]);
  const { exitCode, stdout } = await project.run("sbom");
  expect(exitCode).toBe(0);
  const { bomFormat, components } = JSON.parse(stdout) as {
    bomFormat: string;
    components: { name: string; properties: { name: string; value: string }[] }[];
  };
  const marked = components.map(({ name, properties }) => [
    name,
    JSON.stringify(properties).includes("development"),
  ]);
  expect([bomFormat, marked.sort()]).toEqual([
    "CycloneDX",
    [
      ["thing", false],
      ["tool", true],
    ],
  ]);
});

it("runs a single agent, with its arguments", async () => {
  const project = new TemporaryProject();
  project.write("packages/server/src/agent-main.ts", "console.log(JSON.stringify(process.argv.slice(2)))");
  expect(await project.run("agent mine.md --port 8005")).toMatchObject({
    exitCode: 0,
    stdout: '["mine.md","--port","8005"]\n',
  });
});

it("tests in steps: format and lint, types, regular expressions, unused code, then all tests that fit the arguments", async () => {
  const { exitCode, stdout, stderr } = await (await projectWithTools()).run("test journal");
  expect(exitCode).toBe(0);
  expect(stdout).toBe("vitest run journal\n");
  expect(outcomes(stderr)).toEqual([
    "✓ installing packages",
    "✓ format and lint",
    "✓ types",
    "✓ regular expressions",
    "✓ unused code",
    "✓ tests",
  ]);
});

it("checks in steps: format and lint, types, then the architecture", async () => {
  const { stdout } = await (await projectWithTools()).run("check");
  expect(stdout).toBe("vitest run testing/architecture.test.ts\n");
});

it("stops at the first step that fails, with its output and its exit code", async () => {
  const { exitCode, stdout, stderr } = await (await projectWithTools({ tsc: 2 })).run("test");
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(outcomes(stderr)).toEqual(["✓ installing packages", "✓ format and lint", "✗ types"]);
  expect(stderr).toMatch(/\ntsc -p \. --pretty false\n\nThe types do not fit: see above\.\n$/);
});

it("fails on a regular expression with super-linear cost", async () => {
  const { exitCode, stderr } = await (await projectWithTools({ regexp: 1 })).run("check");
  expect(exitCode).toBe(1);
  expect(outcomes(stderr)).toContain("✗ regular expressions");
});

it("fails on an unused export", async () => {
  const { exitCode, stderr } = await (await projectWithTools({ knip: 1 })).run("check");
  expect(exitCode).toBe(1);
  expect(outcomes(stderr)).toContain("✗ unused code");
});

it("exits with vitest's exit code", async () => {
  const { exitCode, stderr } = await (await projectWithTools({ vitest: 3 })).run("test");
  expect(exitCode).toBe(3);
  expect(outcomes(stderr)).toContain("✗ tests");
});

it("disables colours of tools without a terminal, unless they are forced", async () => {
  const project = await projectWithTools();
  const plain = { FORCE_COLOR: undefined, NO_COLOR: undefined };
  project.write(
    "benchmarks/colours.ts",
    "console.log(String(process.env.NO_COLOR), process.env.FORCE_COLOR + '')",
  );
  expect(await project.run("bench colours", { environment: plain })).toMatchObject({
    stdout: "1 undefined\n",
  });
  const forced = { ...plain, FORCE_COLOR: "1" };
  expect(await project.run("bench colours", { environment: forced })).toMatchObject({
    stdout: "undefined 1\n",
  });
});

it.each(["a#b", "a?b", "a%41b", "100%"])("refuses to test in a folder %s, and starts there", async (name) => {
  const project = new TemporaryProject(name);
  for (const command of ["test", "check"]) {
    const { exitCode, stderr } = await project.run(command);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Tests cannot run in \S+: .+\.\n$/);
  }
  expect(await project.run("start")).toMatchObject({ exitCode: 0, stdout: "[]\n" });
});

it("formats in place", async () => {
  expect(await (await projectWithTools()).run("format")).toMatchObject({
    exitCode: 0,
    stdout: "biome check --write .\n",
  });
});

/** What is left of the lines that end a step without its duration. */
function outcomes(stderr: string) {
  return stderr.match(/^[✓✗] .+(?= \d+\.\d s$)/gm);
}

/** A project whose tools only say how they were called, and end with the given exit codes. */
async function projectWithTools(exitCodes: Record<string, number> = {}) {
  const registry = await LocalRegistry.open();
  const project = new TemporaryProject();
  project.environment.npm_config_registry = registry.url;
  const tools = { "@biomejs/biome": "biome", typescript: "tsc", knip: "knip", vitest: "vitest" };
  const published = Object.entries(tools).map(([packageName, command]) => {
    const script = `console.log('${command}', ...process.argv.slice(2)); process.exit(${exitCodes[command] ?? 0})`;
    const contents = { bin: { [command]: "tool.cjs" }, files: { "tool.cjs": script } };
    return [packageName, registry.publish(packageName, contents)];
  });
  project.lock(Object.fromEntries(published));
  project.write("tools/regexp-lint/main.mjs", `process.exit(${exitCodes.regexp ?? 0})`);
  return project;
}
