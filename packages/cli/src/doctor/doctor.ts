import { EgressTimeoutError, HostNotFoundError } from "@parley/a2a/checks";
import { CommandError, EXIT, type ExitCode } from "../command-error.ts";
import { untilInterrupted } from "../terminal/interruption.ts";
import { printJson, printText } from "../terminal/print.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import type { Check } from "./check.ts";
import { CHECKS } from "./checks/all-checks.ts";
import { agentUrl, headersOf, readKeys, withOwnKey } from "./doctor-arguments.ts";
import { Examination, type ExaminationOptions } from "./examination.ts";
import type { Exchange } from "./exchange.ts";
import { cards } from "./probes/cards.ts";
import { spokenDialects } from "./probes/interfaces.ts";
import { checkList, checkTexts, jsonReport, readableReport } from "./report.ts";
import { type CheckResult, runChecks } from "./run-checks.ts";

/** The options of `parley doctor`. */
export interface DoctorOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly strict?: boolean;
  readonly only: readonly string[];
  readonly message: string;
  readonly header: readonly string[];
  readonly timeout: number;
  readonly allow: readonly string[];
  readonly key: readonly string[];
}

const MAX_EXAMINATION_MS = 10 * 60_000;
const MAX_CLEANUP_MS = 3_000;

/** Examines the agent at a URL, prints the report, and returns the exit code. */
export async function doctor(address: string, options: DoctorOptions): Promise<ExitCode> {
  const url = agentUrl(address);
  const checks = selectChecks(options.only);
  using interrupted = untilInterrupted();
  const examined: Omit<ExaminationOptions, "signal"> = {
    url,
    message: options.message,
    headers: withOwnKey(url, headersOf(options.header)),
    timeout: options.timeout * 1_000,
    allow: options.allow,
    keys: (await Promise.all(options.key.map(readKeys))).flat(),
  };
  const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(MAX_EXAMINATION_MS)]);
  const examination = new Examination({ ...examined, signal });
  const start = performance.now();
  using progress = new ProgressLine("Checking");
  try {
    const reason = await whyNoAgent(examination);
    if (reason !== undefined) throw new CommandError(reason, EXIT.unreachable);
    const results = await runChecks(examination, checks, ({ title }, index) =>
      progress.show(`${index + 1}/${checks.length} ${title}`),
    );
    progress[Symbol.dispose]();
    const milliseconds = performance.now() - start;
    const figures = { url: url.href, requests: examination.wire.requests, milliseconds };
    if (options.json) await printJson(jsonReport(results, figures));
    else await printText(readableReport(results, figures, options.verbose ?? false));
    return exitCode(results, options.strict ?? false);
  } catch (error) {
    // Requests that were interrupted fail in their own words.
    if (interrupted.signal.aborted) throw new CommandError("Interrupted", EXIT.interrupted);
    throw error;
  } finally {
    await cancelUnfinished(examination, examined);
  }
}

/** Prints the ids and titles of all checks. */
export function listChecks(isJson: boolean): Promise<void> {
  return isJson ? printJson(CHECKS.map(checkTexts)) : printText(checkList());
}

/** Cancels the doctor's unfinished tasks, for a moment only. */
async function cancelUnfinished(
  { unfinished }: Examination,
  options: Omit<ExaminationOptions, "signal">,
): Promise<void> {
  const signal = AbortSignal.timeout(MAX_CLEANUP_MS);
  try {
    await unfinished.cancelAll(new Examination({ ...options, signal }));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function exitCode(results: readonly CheckResult[], strict: boolean): ExitCode {
  const isBad = ({ outcome, verdicts }: CheckResult) =>
    outcome === "fail" || (strict && verdicts.some((it) => it.outcome === "warn" && it.severity !== "info"));
  return results.some(isBad) ? EXIT.failed : EXIT.done;
}

function selectChecks(words: readonly string[]): readonly Check[] {
  if (words.length === 0) return CHECKS;
  const found = CHECKS.filter(({ id, topic, title }) =>
    words.some((word) => `${id} ${topic} ${title}`.toLowerCase().includes(word.toLowerCase())),
  );
  if (found.length > 0) return found;
  throw new CommandError(
    `No check matches ${words.join(" or ")}; "parley doctor --list" lists them`,
    EXIT.usage,
  );
}

/** Why there is no agent to examine; undefined where there is one. */
async function whyNoAgent(examination: Examination): Promise<string | undefined> {
  const { url } = examination.options;
  const { modern, legacy, asked } = await cards(examination);
  if (modern || legacy) return undefined;
  const [first] = asked;
  const answered = asked.find(({ exchange }) => exchange.status > 0);
  if (!answered) return first && unreachable(url, first.exchange);
  const { exchange, place } = answered;
  const { status, headers, contentType, failure } = exchange;
  // A card that is too large is still a card: the checks report it.
  if (failure !== undefined && status === 200) return undefined;
  if ((await spokenDialects(examination, url.href)).length > 0) return undefined;
  if (status === 401 || status === 403)
    return `${place.href} requires authentication (HTTP ${status}); use --header "Authorization: Bearer …"`;
  if (status >= 300 && status < 400)
    return `${url.origin} redirects (HTTP ${status}); try parley doctor ${redirectTarget(headers.get("location"), place)}`;
  if (status >= 500) return `${url.origin} answers HTTP ${status} for its agent card; check the agent's log`;
  const what = contentType.startsWith("text/html")
    ? "a web page"
    : status === 200
      ? `${contentType || "content"} without an agent card`
      : `HTTP ${status}`;
  return `No A2A agent at ${url.href}: ${place.pathname} is ${what}, and nothing answers JSON-RPC; use the URL of the agent or of its card`;
}

function unreachable({ origin, hostname, protocol }: URL, { cause, failure }: Exchange): string {
  if (cause instanceof HostNotFoundError) return `Host ${hostname} not found; check the URL`;
  if (cause instanceof EgressTimeoutError)
    return `${origin} did not answer in time; check the URL, or use a longer --timeout`;
  const reason = cause instanceof Error ? cause.cause : undefined;
  const code = reason instanceof Error && "code" in reason ? String(reason.code) : "";
  if (code === "ECONNREFUSED") return `Nothing is listening at ${origin}; start the agent, or check the port`;
  if (protocol === "https:" && /CERT|SIGNATURE|TLS|SSL|EPROTO|ALTNAME/.test(code))
    return `${origin} has no trusted certificate, or does not speak TLS (${code}); try http://, or set NODE_EXTRA_CA_CERTS`;
  if (protocol === "http:" && /HPE|ECONNRESET|EPIPE/.test(code))
    return `${origin} does not speak HTTP (${code}); try https://, or check the port`;
  return `Cannot reach ${origin}: ${failure ?? "nothing answers"}`;
}

function redirectTarget(location: string | null, place: URL): string {
  const to = location === null ? null : URL.parse(location, place.href);
  return to ? to.href.replace(/\/\.well-known\/agent(-card)?\.json$/, "") : "with that URL";
}
