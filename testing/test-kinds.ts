import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/**
 * How much a test file shares with others:
 * - `pure` computes only: it runs in a thread that others have used;
 * - `shared` opens files, sockets, processes or pages: it runs in a process that others have used;
 * - `isolated` changes or measures its own process: it has one to itself.
 */
export type TestKind = "pure" | "shared" | "isolated";

/** Where test files are. */
export const TEST_FOLDERS: readonly string[] = [
  "packages/*/src",
  ...["launcher", "testing", "benchmarks", "chaos", "conformance", "examples", "mcp-servers", "tools"],
];

/** The modules of Node that neither wait for anything nor touch anything outside. */
const COMPUTING = new Set(
  ["assert", "buffer", "crypto", "events", "path", "perf_hooks", "querystring", "stream"]
    .concat(["string_decoder", "url", "util", "zlib", "async_hooks", "stream/consumers", "stream/promises"])
    .map((name) => `node:${name}`),
);
const OUTSIDE =
  /^(?:@parley\/(?:cli|server|web)(?:\/|$)|@parley\/identity\/testing\/|@grpc\/|@hono\/node-server|@lydell\/|@nats-io\/|express$|oidc-provider$|pg$|pino$|playwright-core$|s3rver$|vite$|vitest\/node$)/;
const OWN_PROCESS = [
  /\bvi\s*\.(?:useFakeTimers|setSystemTime|stub(?:Env|Global)|mock|doMock|spyOn|resetModules)\b/,
  /\bprocess\.(?:chdir|cpuUsage|memoryUsage|resourceUsage|umask|getActiveResourcesInfo)\b/,
  /\bprocess\.env(?:\.\w+|\[[^\]]+\])\s*=[^=]|\bdelete process\.env\b/,
  /\b(?:eventLoopUtilization|monitorEventLoopDelay|getHeapStatistics|getHeapSnapshot)\b|\bgc\(/,
];

/** What a module imports when it runs; the architecture's parser is as exact as can be, and takes seconds for all files. */
const IMPORT =
  /^(?:import|export)(?!\s+type\b)(?:[^"'`;]*?\bfrom)?\s*"([^"]+)"|\bimport\(\s*["'`]([^"'`]+)["'`]/gm;

/** The test files of the repository at this root, by kind, relative to it. */
export function testKinds(root: string): Readonly<Record<TestKind, readonly string[]>> {
  const kinds: Record<TestKind, string[]> = { pure: [], shared: [], isolated: [] };
  const read = sourceReader(root);
  const patterns = TEST_FOLDERS.map((folder) => `${folder}/**/*.test.ts`);
  const exclude = ["**/node_modules/**"];
  for (const file of globSync(patterns, { cwd: root, exclude }).sort()) kinds[kindOf(file, read)].push(file);
  return kinds;
}

interface Source {
  /** The files that it imports by a relative path, or from `testing/`. */
  readonly files: readonly string[];
  readonly leavesProcess: boolean;
  readonly changesProcess: boolean;
}

/** A test is what the files are that it reaches by relative imports; a package imported by name counts by its name. */
function kindOf(test: string, read: (file: string) => Source): TestKind {
  const reached = new Set([test]);
  for (const file of reached) for (const next of read(file).files) reached.add(next);
  const sources = [...reached].map(read);
  if (sources.some(({ changesProcess }) => changesProcess)) return "isolated";
  return sources.some(({ leavesProcess }) => leavesProcess) ? "shared" : "pure";
}

function sourceReader(root: string): (file: string) => Source {
  const known = new Map<string, Source>();
  return (file) => {
    const source = known.get(file) ?? readSource(root, file);
    known.set(file, source);
    return source;
  };
}

function readSource(root: string, file: string): Source {
  const text = readFileSync(join(root, file), "utf8");
  const specifiers = [...text.matchAll(IMPORT)].map(([, still, dynamic]) => still ?? dynamic ?? "");
  return {
    files: specifiers
      .map((specifier) =>
        specifier.replace(/^@parley\/testing\//, `${posix.relative(dirname(file), "testing")}/`),
      )
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => posix.join(dirname(file), specifier))
      .filter((path) => existsSync(join(root, path))),
    leavesProcess: specifiers.some((specifier) =>
      specifier.startsWith("node:") ? !COMPUTING.has(specifier) : OUTSIDE.test(specifier),
    ),
    // What the product does to its process is its own affair: tests of it say what they measure themselves.
    changesProcess:
      /\.test\.ts$|(?:^|\/)testing\//.test(file) && OWN_PROCESS.some((pattern) => pattern.test(text)),
  };
}
