import { CommandError, EXIT, type ExitCode } from "../command-error.ts";
import type { Check } from "./check.ts";
import { CHECKS } from "./checks/all-checks.ts";
import { agentUrl, headersOf, readKeys, withOwnKey } from "./doctor-arguments.ts";
import { Examination, type ExaminationOptions } from "./examination.ts";
import { type Examined, examine } from "./examine.ts";
import { notAnAgent } from "./not-an-agent.ts";
import { jsonReport, report, summary } from "./report.ts";

/** What the command line says. */
export interface DoctorOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly strict?: boolean;
  readonly only?: readonly string[];
  readonly message: string;
  readonly header: readonly string[];
  readonly timeout: number;
  readonly allow: readonly string[];
  readonly key: readonly string[];
}

/** Milliseconds of one examination, whatever the agent does. */
const LONGEST = 10 * 60_000;
/** Milliseconds for canceling what is left of it. */
const TIDIED_WITHIN = 3_000;

/** Examines the agent at a URL, writes the report, and says how the command ends. */
export async function doctor(address: string, options: DoctorOptions): Promise<ExitCode> {
  const url = agentUrl(address);
  const checks = chosen(options.only ?? []);
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort(new CommandError("Interrupted", EXIT.interrupted));
  process.once("SIGINT", onInterrupt);
  const about: Omit<ExaminationOptions, "signal"> = {
    url,
    message: options.message,
    headers: withOwnKey(url, headersOf(options.header)),
    timeout: options.timeout * 1_000,
    allow: options.allow,
    keys: (await Promise.all(options.key.map(readKeys))).flat(),
  };
  const signal = AbortSignal.any([interrupt.signal, AbortSignal.timeout(LONGEST)]);
  const examination = new Examination({ ...about, signal });
  const start = performance.now();
  try {
    const reason = await notAnAgent(examination);
    if (reason !== undefined) throw new CommandError(reason, EXIT.unreachable);
    const examined = await examine(examination, checks, progress(checks.length));
    const figures = {
      url: url.href,
      requests: examination.wire.requests,
      milliseconds: performance.now() - start,
    };
    await written(options.json ? jsonReport(examined, figures) : readable(examined, figures, options));
    return exitCode(examined, options.strict ?? false);
  } catch (error) {
    // What was under way fails in its own words: the reason is the user's.
    if (interrupt.signal.aborted) throw interrupt.signal.reason;
    throw error;
  } finally {
    clearProgress();
    await tidied(examination, about);
    process.off("SIGINT", onInterrupt);
  }
}

/** Nothing is left running on the doctor's account; an agent that does not answer to that has its say for a moment only. */
async function tidied({ left }: Examination, options: Omit<ExaminationOptions, "signal">): Promise<void> {
  const signal = AbortSignal.timeout(TIDIED_WITHIN);
  try {
    await left.cancel(new Examination({ ...options, signal }));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface About {
  readonly url: string;
  readonly requests: number;
  readonly milliseconds: number;
}

function readable(examined: readonly Examined[], about: About, { verbose = false }: DoctorOptions): string {
  return `${report(examined, { verbose, stream: process.stdout })}\n\n${summary(examined, about)}`;
}

/** Waits until all of it is out: what a pipe has not taken is lost when the process ends. */
function written(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${text}\n`, () => resolve()));
}

function exitCode(examined: readonly Examined[], strict: boolean): ExitCode {
  const isBad = ({ outcome, verdicts }: Examined) =>
    outcome === "fail" || (strict && verdicts.some((it) => it.outcome === "warn" && it.severity !== "info"));
  return examined.some(isBad) ? EXIT.failed : EXIT.done;
}

function chosen(words: readonly string[]): readonly Check[] {
  if (words.length === 0) return CHECKS;
  const found = CHECKS.filter(({ id, topic, title }) =>
    words.some((word) => `${id} ${topic} ${title}`.toLowerCase().includes(word.toLowerCase())),
  );
  if (found.length > 0) return found;
  throw new CommandError(
    `No check is about ${words.join(" or ")}: parley doctor --list names them all`,
    EXIT.usage,
  );
}

/** One line on a terminal that says what is being looked at; nothing where nobody watches. */
function progress(count: number): (check: Check, place: number) => void {
  if (!process.stderr.isTTY) return () => undefined;
  return ({ title }, place) => process.stderr.write(`\r\u001b[K${place + 1}/${count} ${title}`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
}
