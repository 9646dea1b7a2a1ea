const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/** @typedef {{ write(text: string): unknown, isTTY?: boolean, hasColors?: () => boolean }} Output stdout belongs to what we start */

/**
 * Shows that `work` goes on and how it ended: a line that counts the seconds on a terminal; elsewhere a line at the end,
 * and one before it when the work takes over a second.
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} work
 * @param {Output} [output]
 */
export async function showProgress(label, work, output = process.stderr) {
  const started = performance.now();
  const timer = output.isTTY
    ? countSeconds(label, output)
    : setTimeout(() => output.write(`${label} …\n`), 1000);
  let succeeded = false;
  try {
    const result = await work();
    succeeded = true;
    return result;
  } finally {
    clearInterval(timer);
    showOutcome(label, { started, succeeded }, output);
  }
}

/**
 * Writes the line that ends a piece of work, over the one that counted its seconds.
 * @param {string} label
 * @param {{ started: number, succeeded: boolean }} outcome
 * @param {Output} [output]
 */
export function showOutcome(label, { started, succeeded }, output = process.stderr) {
  const mark = succeeded ? paint("✓", 32, output) : paint("✗", 31, output);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  output.write(`${output.isTTY ? "\r\x1b[K" : ""}${mark} ${label} ${seconds} s\n`);
}

/**
 * Tells whether the output is a terminal whose user wants colours.
 * @param {Output} [output]
 */
export function hasColours(output = process.stderr) {
  return output.hasColors?.() ?? false;
}

/**
 * The variable that disables colours in files and pipes for child processes: vitest does not check its output.
 * @returns {NodeJS.ProcessEnv}
 */
export function colourChoice() {
  return process.stdout.isTTY || process.env.FORCE_COLOR ? {} : { NO_COLOR: "1" };
}

/**
 * @param {string} label
 * @param {Output} output
 */
function countSeconds(label, output) {
  const started = performance.now();
  const draw = () => {
    const elapsed = performance.now() - started;
    const frame = paint(frames.charAt(Math.floor(elapsed / 100) % frames.length), 36, output);
    output.write(`\r\x1b[K${frame} ${label} … ${Math.floor(elapsed / 1000)} s`);
  };
  draw();
  return setInterval(draw, 100);
}

/**
 * @param {string} text
 * @param {number} colour
 * @param {Output} output
 */
function paint(text, colour, output) {
  return hasColours(output) ? `\x1b[${colour}m${text}\x1b[39m` : text;
}
