import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { workAlone } from "./claim.mjs";
import { releaseFor, requiredMajor } from "./node-release.mjs";
import { hostNode, majorOf } from "./node-runtime.mjs";
import { runNpm } from "./npm.mjs";
import { PlainError } from "./plain-error.mjs";
import { showProgress } from "./progress.mjs";

const platform = `${process.platform}-${process.arch}`;

/**
 * Returns the Node that Parley runs on: the one that runs us if it is new enough, else a private copy, fetched from npm once.
 * With `PARLEY_NODE_DIR` it is always the private copy in that folder, which several clones can share.
 * @param {string} project
 */
export async function provideNode(project) {
  const chosenFolder = process.env.PARLEY_NODE_DIR;
  if (!chosenFolder && majorOf(hostNode) >= requiredMajor) return hostNode;
  const folder = resolve(project, chosenFolder || ".node");
  return findCopy(folder) ?? workAlone(folder, async () => findCopy(folder) ?? fetchCopy(folder, project));
}

/** @param {string} folder */
function describeCopy(folder) {
  const release = releaseFor(platform);
  const home = join(folder, `${release.version}-${platform}`);
  return { ...release, home, path: join(home, release.binary) };
}

/** @param {string} folder */
function findCopy(folder) {
  const { path, version } = describeCopy(folder);
  return existsSync(path) ? { path, version } : undefined;
}

/**
 * A copy appears under its final name by a rename, once it is complete, is the one we pinned, and has run.
 * @param {string} folder
 * @param {string} project
 */
async function fetchCopy(folder, project) {
  const { packageName, version, binary, integrity, home, path } = describeCopy(folder);
  const unfinished = `${home}.unfinished`;
  const fetched = join(unfinished, "node_modules", packageName);
  // A launcher that was killed leaves the first, and a user who cleans up may leave a part of the second.
  for (const leftover of [unfinished, home]) rmSync(leftover, { recursive: true, force: true });
  mkdirSync(unfinished);
  const install = ["install", "--prefix", unfinished, "--no-save", "--no-package-lock", "--ignore-scripts"];
  try {
    await showProgress(`fetching Node ${version}`, async () => {
      await runNpm([...install, `${packageName}@${version}`], {
        purpose: `fetch Node ${version}`,
        node: hostNode,
        project,
        log: join(folder, "fetch-node.log"),
      });
      if (integrityOf(fetched) !== integrity) throw notTheExpected(version);
      proveThatItRuns(join(fetched, binary), version);
      renameSync(fetched, home);
    });
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return { path, version };
}

/**
 * The integrity that npm proved of a package before it unpacked it; none when it did not say.
 * @param {string} fetched
 * @returns {string | undefined}
 */
function integrityOf(fetched) {
  const record = join(dirname(fetched), ".package-lock.json");
  if (!existsSync(record)) return undefined;
  const { packages } = JSON.parse(readFileSync(record, "utf8"));
  return packages[`node_modules/${basename(fetched)}`]?.integrity;
}

/** @param {string} version */
function notTheExpected(version) {
  return new PlainError(
    `The Node ${version} that the npm registry sent is not the one that Parley expects, and was not kept: choose a registry that you trust with "npm config set registry", or install Node ${requiredMajor} from https://nodejs.org, and run the command again.`,
  );
}

/**
 * A Node made for another C library cannot run, nor any in a folder where the system forbids programs.
 * @param {string} path
 * @param {string} version
 */
function proveThatItRuns(path, version) {
  const { stdout, stderr, error } = spawnSync(path, ["--version"], { encoding: "utf8" });
  if (stdout?.trim() === `v${version}`) return;
  throw new PlainError(
    `The Node ${version} that npm has does not run on this system: install Node ${requiredMajor} from https://nodejs.org and run the command again.`,
    { details: error?.message ?? stderr },
  );
}
