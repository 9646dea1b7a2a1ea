import { delimiter, dirname } from "node:path";

/** @typedef {{ path: string, version: string }} NodeRuntime */

/**
 * The Node that runs the launcher itself.
 * @type {NodeRuntime}
 */
export const hostNode = { path: process.execPath, version: process.versions.node };

/** @param {NodeRuntime} node */
export function majorOf(node) {
  return Number.parseInt(node.version, 10);
}

/**
 * The environment in which `node` means the given one, also for what a child starts itself.
 * @param {NodeRuntime} node
 */
export function environmentFor(node) {
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  return { ...process.env, [name]: `${dirname(node.path)}${delimiter}${process.env[name] ?? ""}` };
}
