import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  checkFormatAndLint,
  checkRegularExpressions,
  checkTypes,
  checkUnused,
  refuseUnfitPath,
  runTests,
} from "./checks.mjs";
import { findNpm } from "./npm-program.mjs";
import { PlainError } from "./plain-error.mjs";
import { setUp } from "./set-up.mjs";

/** Node warns about features that are experimental until its next release line; users need not see that. */
const withoutWarnings = "--disable-warning=ExperimentalWarning";

/** The Node options of servers: docs/decisions/0022. */
const serving = JSON.parse(
  readFileSync(new URL("../packages/server/node-options.json", import.meta.url), "utf8"),
);

/**
 * The folder of Node's compile cache, which halves the time of every later start.
 * @param {string} project
 */
const withCompiled = (project) => ({
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(project, "node_modules", ".cache", "compiled"),
});

/** @type {Record<string, (project: string, args: string[]) => Promise<number>>} */
const commands = {
  start,
  parley,
  agent,
  test,
  check,
  format,
  bench,
  chaos,
  soak,
  sbom,
  "container-test": containerTest,
  "conformance-agent": conformanceAgent,
  "openapi-types": openapiTypes,
  screenshots,
};

/**
 * Sets up what a command needs, runs it, and returns its exit code.
 * @param {string} project
 * @param {string} name
 * @param {string[]} args
 */
export async function runCommand(project, name, args) {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command(project, args);
  const known = Object.keys(commands).join(", ");
  throw new PlainError(`Unknown command "${name}": use one of ${known}.`);
}

/**
 * @param {string} project
 * @param {string[]} args
 */
async function start(project, args) {
  const workshop = await setUp(project, "production");
  return workshop.run([...serving, "packages/server/src/main.ts", ...args], withCompiled(project));
}

/**
 * @param {string} project
 * @param {string[]} args
 */
async function parley(project, args) {
  const workshop = await setUp(project, "production");
  return workshop.run([...serving, "packages/cli/src/main.ts", ...args], withCompiled(project));
}

/**
 * @param {string} project
 * @param {string[]} args
 */
async function agent(project, args) {
  const workshop = await setUp(project, "production");
  return workshop.run([...serving, "packages/server/src/agent-main.ts", ...args], withCompiled(project));
}

/**
 * @param {string} project
 * @param {string[]} args
 */
async function chaos(project, args) {
  const workshop = await setUp(project);
  return workshop.run([withoutWarnings, "chaos/main.ts", ...args], withCompiled(project));
}

/**
 * @param {string} project
 * @param {string[]} args
 */
async function soak(project, args) {
  refuseUnfitPath(project);
  const workshop = await setUp(project);
  return workshop.run([withoutWarnings, "testing/soak.ts", ...args]);
}

/** @param {string} project */
async function containerTest(project) {
  const workshop = await setUp(project);
  return workshop.run([withoutWarnings, "testing/container/main.ts"]);
}

/**
 * Prints the software bill of materials, with development packages marked. Npm's `--omit=dev` would also omit
 * production packages that a test package names.
 * @param {string} project
 * @param {string[]} args
 */
async function sbom(project, args) {
  const workshop = await setUp(project, "production");
  const format = args.length > 0 ? args : ["--sbom-format=cyclonedx"];
  return workshop.run([findNpm(), "sbom", "--package-lock-only", ...format]);
}

/** @param {string} project */
async function conformanceAgent(project) {
  const workshop = await setUp(project);
  return workshop.run([withoutWarnings, "conformance/main.ts"]);
}

/** @param {string} project */
async function openapiTypes(project) {
  const workshop = await setUp(project);
  return workshop.run([withoutWarnings, "tools/openapi-types/main.ts"]);
}

/** @param {string} project */
async function screenshots(project) {
  const workshop = await setUp(project);
  return workshop.run([withoutWarnings, "tools/screenshots/main.ts"]);
}

/**
 * @param {string} project
 * @param {string[]} args
 */
async function test(project, args) {
  refuseUnfitPath(project);
  const workshop = await setUp(project);
  await checkFormatAndLint(workshop);
  await checkTypes(workshop);
  await checkRegularExpressions(workshop);
  await checkUnused(workshop);
  return runTests(workshop, args);
}

/** @param {string} project */
function check(project) {
  return test(project, ["testing/architecture.test.ts"]);
}

/** @param {string} project */
async function format(project) {
  const workshop = await setUp(project);
  return workshop.run([workshop.scriptOf("@biomejs/biome", "biome"), "check", "--write", "."]);
}

/**
 * @param {string} project
 * @param {string[]} args
 */
async function bench(project, [name, ...args]) {
  const known = readdirSync(join(project, "benchmarks"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => file.slice(0, -".ts".length));
  if (!name || !known.includes(name)) {
    const reason = name ? `Unknown benchmark "${name}"` : "Missing benchmark name";
    throw new PlainError(
      `${reason}: use "npm run bench -- NAME" with one of ${known.join(", ") || "(none yet)"}.`,
    );
  }
  const workshop = await setUp(project);
  return workshop.run([withoutWarnings, `benchmarks/${name}.ts`, ...args]);
}
