import { styleText } from "node:util";
import { EgressTimeoutError, HostNotFoundError } from "@parley/a2a/checks";
import { CommandError, EXIT, type ExitCode } from "../command-error.ts";
import { plainText } from "../terminal/plain-text.ts";
import { type Check, type Outcome, TOPICS, type Verdict } from "./check.ts";
import { CHECKS } from "./checks/all-checks.ts";
import { agentUrl, headersOf, readKeys, withOwnKey } from "./doctor-arguments.ts";
import { shortened } from "./evidence.ts";
import { Examination, type ExaminationOptions } from "./examination.ts";
import { type Examined, examine } from "./examine.ts";
import type { Exchange } from "./exchange.ts";
import { cards } from "./probes/cards.ts";
import { spokenDialects } from "./probes/ways.ts";

const SIGNS: Readonly<Record<Outcome, string>> = { pass: "✓", fail: "✗", warn: "!", "not-applicable": "–" };
const COLOURS = { pass: "green", fail: "red", warn: "yellow", "not-applicable": "gray" } as const;
const MAX_EVIDENCE = 1_200;

interface ReportOptions {
  readonly verbose: boolean;
  /** Where it goes: colours only on a terminal. */
  readonly stream: NodeJS.WriteStream;
}

/** The report that a person reads, grouped by topic, with what to do about each finding. */
function report(examined: readonly Examined[], { verbose, stream }: ReportOptions): string {
  const paint = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream });
  const lines: string[] = [];
  for (const topic of TOPICS) {
    const ofTopic = examined.filter(({ check }) => check.topic === topic);
    if (ofTopic.length === 0) continue;
    lines.push("", paint("bold", topic));
    for (const it of ofTopic) lines.push(...checkLines(it));
  }
  return lines.join("\n").trimStart();

  function checkLines({ check, outcome, verdicts }: Examined): string[] {
    const isBad = outcome === "fail" || outcome === "warn";
    const shown = isBad ? verdicts.filter((it) => it.outcome === "fail" || it.outcome === "warn") : verdicts;
    const details = grouped(shown).flatMap(({ ways, verdict }) => [
      `    ${ways === "" ? "" : paint("dim", `${ways}: `)}${plainText(shortened(verdict.detail, 400))}`,
      ...(verbose ? evidenceLines(verdict) : []),
    ]);
    // What passed needs no words, unless it is a fact that people want to know.
    const isTold = verbose || outcome !== "pass" || check.severity === "info";
    const weight = shown.find((it) => it.outcome === outcome)?.severity ?? check.severity;
    const advice = `    ${paint("cyan", "→")} ${check.remedy} ${paint("dim", `(${weight}; ${check.clause})`)}`;
    const head = `${paint(COLOURS[outcome], SIGNS[outcome])} ${check.title} ${paint("dim", `[${check.id}]`)}`;
    return [head, ...(isTold ? details : []), ...(isBad ? [advice] : [])];
  }

  function evidenceLines({ evidence }: Verdict): string[] {
    return evidence.flatMap(({ request, answer }) =>
      [`> ${shortened(request, MAX_EVIDENCE)}`, `< ${shortened(answer, MAX_EVIDENCE)}`].flatMap((text) =>
        plainText(text)
          .split("\n")
          .map((line) => paint("dim", `      ${line}`)),
      ),
    );
  }
}

/** The last line: how many of what, and what it came to. */
function summary(
  examined: readonly Examined[],
  about: { readonly requests: number; readonly milliseconds: number },
): string {
  const count = (outcome: Outcome) => examined.filter((it) => it.outcome === outcome).length;
  const [failed, warned, passed] = [count("fail"), count("warn"), count("pass")];
  const words =
    failed > 0 ? "The protocol is violated" : warned > 0 ? "No MUST is violated" : "Nothing is wrong";
  const counts = `${passed} passed, ${failed} failed, ${warned} warnings, ${count("not-applicable")} not applicable`;
  return `${words}: ${counts} (${about.requests} requests, ${(about.milliseconds / 1_000).toFixed(1)} s)`;
}

/** The same for programs, with the whole evidence. */
function jsonReport(
  examined: readonly Examined[],
  about: { readonly url: string; readonly requests: number; readonly milliseconds: number },
): string {
  const checks = examined.map(({ check: { run: _, ...about }, outcome, verdicts }) => ({
    ...about,
    outcome,
    verdicts,
  }));
  return JSON.stringify({ ...about, milliseconds: Math.round(about.milliseconds), checks }, undefined, 2);
}

function grouped(verdicts: readonly Verdict[]): { readonly ways: string; readonly verdict: Verdict }[] {
  const groups = Map.groupBy(verdicts, ({ outcome, detail }) => `${outcome} ${detail}`);
  return [...groups.values()].flatMap((same) => {
    const [verdict] = same;
    return verdict ? [{ ways: same.flatMap(({ way }) => way ?? []).join(", "), verdict }] : [];
  });
}

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
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
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

/** Why there is no agent to examine, in one sentence; nothing where there is one. */
async function notAnAgent(examination: Examination): Promise<string | undefined> {
  const { url } = examination.options;
  const { modern, first, asked } = await cards(examination);
  if (modern || first) return undefined;
  const [answered] = asked.filter(({ exchange }) => exchange.status > 0);
  const [refused] = asked;
  if (!answered) return refused && unreachable(url, refused.exchange);
  const { exchange, place } = answered;
  // A card that is too large is one all the same: the checks say so.
  if (exchange.failure !== undefined && exchange.status === 200) return undefined;
  if ((await spokenDialects(examination, url.href)).length > 0) return undefined;
  const { status, headers, contentType } = exchange;
  if (status === 401 || status === 403)
    return `${place.href} wants authentication (HTTP ${status}): give it with --header "Authorization: Bearer …"`;
  const location = headers.get("location");
  if (status >= 300 && status < 400)
    return `${url.origin} sends its callers elsewhere (HTTP ${status}): try parley doctor ${target(location, place)}`;
  if (status >= 500) return `What is at ${url.origin} fails (HTTP ${status} for its card): look into its log`;
  const what = contentType.startsWith("text/html")
    ? "a web page"
    : status === 200
      ? `${contentType || "something"} that is no card`
      : `HTTP ${status}`;
  return `There is no A2A agent at ${url.href}: ${place.pathname} is ${what}, and nothing answers JSON-RPC there; name the agent's base URL or its card`;
}

function unreachable({ origin, hostname, protocol }: URL, { cause, failure }: Exchange): string {
  if (cause instanceof HostNotFoundError) return `${hostname} is not a name of any host: check the address`;
  if (cause instanceof EgressTimeoutError)
    return `${origin} does not answer in time: check the address, or give it longer with --timeout`;
  const code = codeOf(cause);
  if (code === "ECONNREFUSED") return `Nothing listens at ${origin}: start the agent, or check the port`;
  if (protocol === "https:" && /CERT|SIGNATURE|TLS|SSL|EPROTO|ALTNAME/.test(code))
    return `${origin} has no certificate that can be trusted, or does not speak TLS (${code}): try http://, or set NODE_EXTRA_CA_CERTS`;
  if (protocol === "http:" && /HPE|ECONNRESET|EPIPE/.test(code))
    return `${origin} does not speak HTTP (${code}): try https://, or check the port`;
  return `${origin} cannot be reached: ${failure ?? "nothing answers"}`;
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

function target(location: string | null, place: URL): string {
  const to = location === null ? null : URL.parse(location, place.href);
  return to ? to.href.replace(/\/\.well-known\/agent(-card)?\.json$/, "") : "the address that it names";
}
