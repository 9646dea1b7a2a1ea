import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeFolder } from "./folder.mjs";
import { showProgress } from "./progress.mjs";

const signOfLifeEvery = 5_000;
const silentTooLong = 30_000;
const ownName = String(process.pid);

/**
 * Runs `work` while no other launcher works on the folder; one that was killed does not stand in the way.
 * @template T
 * @param {string} folder
 * @param {() => Promise<T>} work
 */
export async function workAlone(folder, work) {
  const claims = join(folder, "claims");
  const ownClaim = join(claims, ownName);
  makeFolder(claims);
  if (!stake(claims)) {
    await showProgress("waiting for another launcher that is setting up", async () => {
      // The random part separates two launchers that back off at the same time.
      do await delay(50 + Math.random() * 100);
      while (!stake(claims));
    });
  }
  const signOfLife = setInterval(() => writeFileSync(ownClaim, ""), signOfLifeEvery);
  try {
    return await work();
  } finally {
    clearInterval(signOfLife);
    rmSync(ownClaim, { force: true });
  }
}

/**
 * Each launcher writes its own file first and looks for others second: of two that come together, one sees the other.
 * @param {string} claims
 */
function stake(claims) {
  if (isClaimedByOther(claims)) return false;
  writeFileSync(join(claims, ownName), "");
  if (!isClaimedByOther(claims)) return true;
  rmSync(join(claims, ownName));
  return false;
}

/** @param {string} claims */
function isClaimedByOther(claims) {
  let claimed = false;
  for (const name of readdirSync(claims)) {
    if (name === ownName) continue;
    if (isAbandoned(claims, name)) rmSync(join(claims, name), { force: true });
    else claimed = true;
  }
  return claimed;
}

/**
 * @param {string} claims
 * @param {string} name
 */
function isAbandoned(claims, name) {
  const claim = statSync(join(claims, name), { throwIfNoEntry: false });
  // The process id alone proves nothing: after a restart of the machine it may be another program's.
  return !claim || Date.now() - claim.mtimeMs > silentTooLong || !isRunning(Number(name));
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
