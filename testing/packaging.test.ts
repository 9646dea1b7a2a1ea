import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const PINNED = /^[a-z]+:\d+\.\d+(\.\d+)?-[a-z]+(-slim)?$/;

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly user?: string;
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes: readonly string[];
  readonly security_opt: readonly string[];
  readonly cap_drop: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

/** The instructions of the Dockerfile, each on one line, without comments. */
const instructions = read("Dockerfile")
  .split("\n")
  .filter((line) => !line.startsWith("#"))
  .join("\n")
  .replaceAll("\\\n", " ")
  .split("\n")
  .map((line) => line.trim().replace(/\s+/g, " "))
  .filter((line) => line !== "");
const of = (name: string) => instructions.filter((line) => line.startsWith(`${name} `));
const lastStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith("FROM ")));

/** What the platform can be told by its environment, as its code has it. */
const settings = ["server/src/configuration.ts", "server/src/data-place.ts", "agent/src/models"]
  .flatMap((place) => sourcesIn(join(root, "packages", place)))
  .join("\n");

function sourcesIn(path: string): string[] {
  if (path.endsWith(".ts")) return [readFileSync(path, "utf8")];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map(({ name }) => readFileSync(join(path, name), "utf8"));
}

const unknownSettings = (names: readonly string[]) =>
  names.filter((name) => !new RegExp(`\\b${name}\\b`).test(settings));

describe("the Dockerfile", () => {
  it("stands on exact versions, and on the Node that the launcher fetches", () => {
    const images = of("FROM").map((line) => line.split(" ")[1] ?? "");
    expect(images.filter((image) => !PINNED.test(image))).toEqual([]);
    const [, version] = /version: "(\d+\.\d+\.\d+)"/.exec(read("launcher/node-release.mjs")) ?? [];
    expect(new Set(images)).toEqual(new Set([`node:${version}-bookworm-slim`]));
  });

  it("runs nothing as root, and says how it is", () => {
    const user = lastStage.indexOf("USER node");
    const command = lastStage.findIndex((line) => line.startsWith("CMD "));
    expect(user).toBeGreaterThan(0);
    expect(command).toBeGreaterThan(user);
    expect(of("HEALTHCHECK")[0]).toContain("/readyz");
    const script = JSON.parse(/CMD (\[.*\])$/.exec(of("HEALTHCHECK")[0] ?? "")?.[1] ?? "[]");
    expect(() => new Function(script[2])).not.toThrow();
  });

  it("copies only what is there, and starts what is copied", () => {
    const paths = lastStage
      .filter((line) => line.startsWith("COPY "))
      .flatMap((line) => [...line.matchAll(/ \/parley\/(\S+)/g)].map(([, path = ""]) => path));
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const [command = ""] = lastStage.filter((line) => line.startsWith("CMD "));
    const [, ...args] = JSON.parse(command.slice("CMD ".length)) as string[];
    const program = args.at(-1) ?? "";
    expect(args.slice(0, -1)).toEqual(JSON.parse(read("packages/server/node-options.json")));
    expect(existsSync(join(root, program))).toBe(true);
    expect(paths).toContain(program.split("/")[0]);
    const workspaces = [...(of("RUN")[0] ?? "").matchAll(/--workspace (\S+)/g)].map(([, path = ""]) => path);
    expect(workspaces.filter((path) => !existsSync(join(root, path, "package.json")))).toEqual([]);
    const removed = [...(of("RUN")[0] ?? "").matchAll(/ node_modules\/(\S+)/g)].map(([, name = ""]) => name);
    const used = globSync(["packages/*/package.json", "mcp-servers/package.json"], { cwd: root }).flatMap(
      (path) => Object.keys((JSON.parse(read(path)) as { dependencies?: object }).dependencies ?? {}),
    );
    expect(
      removed.filter((name) => used.some((each) => each === name || each.startsWith(`${name}/`))),
    ).toEqual([]);
  });

  it("brings no secret, and only settings that exist", () => {
    const names = of("ENV").flatMap((line) =>
      [...line.matchAll(/(?<!\w)(\w+)=/g)].map(([, name = ""]) => name),
    );
    expect(names.filter((name) => /KEY|TOKEN|PASSWORD|SECRET/.test(name))).toEqual([]);
    expect(unknownSettings(names.filter((name) => name !== "NODE_ENV"))).toEqual([]);
  });

  it("has a .dockerignore that lets in nothing but what it names, and every workspace's package.json", () => {
    const lines = read(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(lines[0]).toBe("*");
    for (const kept of ["**/node_modules", "**/.env"]) expect(lines).toContain(kept);
    const letIn = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    const { workspaces } = JSON.parse(read("package.json")) as { workspaces: string[] };
    for (const workspace of workspaces)
      expect(
        letIn.some((path) => path === `${workspace}/package.json` || path === workspace.split("/")[0]),
        workspace,
      ).toBe(true);
    for (const path of letIn.filter((path) => !path.includes("*")))
      expect(existsSync(join(root, path)), path).toBe(true);
  });
});

describe("compose.yaml", () => {
  const { services, volumes } = parse(read("compose.yaml"), { merge: true }) as {
    services: Readonly<Record<string, Service>>;
    volumes: Readonly<Record<string, unknown>>;
  };
  const nodes = Object.values(services).filter(({ build }) => build !== undefined);

  it("has two nodes on one Postgres, which wait for it, and seal what they share", () => {
    expect(nodes).toHaveLength(2);
    const ports = nodes.map(({ environment }) => Number(environment.PORT));
    // Agents without a port of their own come after the tenth.
    expect(Math.abs((ports[0] ?? 0) - (ports[1] ?? 0))).toBeGreaterThanOrEqual(50);
    for (const { environment, volumes: mounted, depends_on: waits } of nodes) {
      expect(environment.DATABASE_URL).toMatch(
        /^postgres:\/\/parley:\$\{POSTGRES_PASSWORD:\?.*\}@127\.0\.0\.1:5433\/parley$/,
      );
      expect(mounted).toContain("data:/data");
      expect(environment.PARLEY_SECRET).toMatch(/^\$\{PARLEY_SECRET:-\}$/);
      expect(waits?.postgres?.condition).toBe("service_healthy");
    }
    expect(services.postgres?.healthcheck?.test).toContain("pg_isready");
    expect(Object.keys(volumes)).toEqual(["journal", "data"]);
  });

  it("opens nothing to other machines: ports are on loopback, and nodes in the host's network listen there alone", () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
    expect(nodes.map(({ network_mode: mode, ports }) => [mode, ports])).toEqual([
      ["host", undefined],
      ["host", undefined],
    ]);
    expect(read("packages/server/src/configuration.ts")).toContain('PARLEY_HOST || "127.0.0.1"');
  });

  it("holds no secret, gives nobody more rights than needed, and pins what it fetches", () => {
    expect(read("compose.yaml")).not.toMatch(/(KEY|TOKEN|PASSWORD|SECRET): (?!\$\{)/);
    for (const service of Object.values(services)) {
      expect(service.cap_drop).toEqual(["ALL"]);
      expect(service.security_opt).toEqual(["no-new-privileges:true"]);
    }
    expect(services.postgres?.user).toBe("postgres");
    expect(services.postgres?.image).toMatch(PINNED);
  });

  it("sets only what the platform reads", () => {
    expect(unknownSettings(nodes.flatMap(({ environment }) => Object.keys(environment)))).toEqual([]);
  });
});
