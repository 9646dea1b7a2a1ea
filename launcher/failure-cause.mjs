/**
 * @typedef {object} Cause
 * @property {string[]} codes
 * @property {(code: string, path: string) => string} reason what went wrong and what to do, to follow a colon
 */

/** @type {Cause[]} */
const causes = [
  {
    codes: ["ENOSPC", "EDQUOT"],
    reason: (code, path) =>
      `the disk of ${path} is full (${code}); free some space and run the command again`,
  },
  {
    codes: ["EACCES", "EPERM", "EROFS"],
    reason: (code, path) =>
      `${path} cannot be written (${code}); make it writable, or clone Parley into a folder that is yours`,
  },
  {
    codes: ["EEXIST", "ENOTDIR"],
    reason: (code, path) => `there is a file where ${path} must be a folder (${code}); move it away`,
  },
  {
    codes: [
      "EAI_AGAIN",
      "ECONNABORTED",
      "ECONNREFUSED",
      "ECONNRESET",
      "ECONNECTIONTIMEOUT",
      "EHOSTUNREACH",
      "EIDLETIMEOUT",
      "ENETUNREACH",
      "ENOTCACHED",
      "ENOTFOUND",
      "ERR_SOCKET_TIMEOUT",
      "ETIMEDOUT",
      "FETCH_ERROR",
    ],
    reason: (code) =>
      `the npm registry cannot be reached (${code}); connect to the network, or set your proxy or registry with "npm config", and run the command again`,
  },
  {
    codes: ["EUSAGE"],
    reason: () => 'package-lock.json does not match package.json; run "npm install" and commit the new lock',
  },
];

/**
 * Says what an error code of Node or npm means for the user, or nothing when the code is not a known cause.
 * @param {string | undefined} code
 * @param {string} path
 */
export function explainCause(code, path) {
  const cause = causes.find(({ codes }) => code && codes.includes(code));
  return cause?.reason(/** @type {string} */ (code), path);
}
