import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it, unless they are there; Node's own recursive way calls a read-only disk a missing file.
 * @param {string} path
 */
export function makeFolder(path) {
  try {
    mkdirSync(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || path === dirname(path)) throw error;
    makeFolder(dirname(path));
    makeFolder(path);
  }
}

/**
 * Tells whether a folder, or the nearest one above it that exists, can be written.
 * @param {string} path
 * @returns {boolean}
 */
export function canWrite(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    return codeOf(error) === "ENOENT" && path !== dirname(path) && canWrite(dirname(path));
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}
