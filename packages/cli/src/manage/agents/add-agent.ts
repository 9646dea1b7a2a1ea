import { createInterface } from "node:readline/promises";
import type { Agent, ApiClient, NewAgent } from "@parley/client";
import { CommandError, EXIT } from "../../command-error.ts";
import { defined } from "../../defined.ts";
import { readGivenFile } from "../../given-file.ts";
import { connect, type PrintOptions } from "../../server-address.ts";
import { untilInterrupted } from "../../terminal/interruption.ts";
import { oneLine } from "../../terminal/plain-text.ts";
import { printJson, printText, styled, tell } from "../../terminal/print.ts";

const MAX_FINDINGS = 40;

export interface AddOptions extends PrintOptions {
  readonly name?: string;
  readonly auth?: readonly string[];
  readonly yes?: boolean;
}

/** Checks an agent and adds it; errors have to be confirmed. */
export async function addAgent(url: string, options: AddOptions): Promise<void> {
  if (!isUrl(url))
    throw new CommandError(`"${url}" is not an agent URL like https://agent.example.com`, EXIT.usage);
  const client = await connect(options);
  const wanted = await withCredentials(
    client,
    { url, ...defined({ name: options.name }) },
    options.auth ?? [],
  );
  const { agent } = await client.checkAgent(wanted);
  if (isFaulty(agent) && !options.yes) {
    process.stderr.write(agentReport(agent));
    if (!(await confirm("Add it anyway?")))
      throw new CommandError("Not added: fix the errors, or add it anyway with --yes");
  }
  const added = (await client.addAgent(wanted)).agent;
  if (options.json) return printJson({ agent: added });
  await printText(agentReport(added));
  tell(`Added ${added.name}; undo with: parley agents remove ${added.name}`);
}

/** Checks an agent and prints the result; the exit code says whether it can be used. */
export async function checkAgent(agent: string, options: PrintOptions): Promise<void> {
  const client = await connect(options);
  const found = isUrl(agent) ? await client.checkAgent({ url: agent }) : await client.recheckAgent(agent);
  if (options.json) await printJson(found);
  else await printText(agentReport(found.agent));
  if (isFaulty(found.agent)) process.exitCode = EXIT.failed;
}

/** Whether an agent cannot be used, or its card violates the specification. */
function isFaulty({ state, findings = [] }: Agent): boolean {
  return state !== "up" || findings.some((finding) => finding.startsWith("error"));
}

function agentReport(agent: Agent): string {
  const {
    name,
    url,
    state,
    description = "",
    skills = [],
    negotiated,
    schemes = [],
    trouble = "",
    findings = [],
  } = agent;
  const mark = (isBad: boolean, other: string) => (isBad ? styled("red", "✗") : other);
  const facts: readonly (readonly [string, string])[] = [
    ["state", state],
    ["about", oneLine(description, 200)],
    ["skills", oneLine(skills.map(({ name: skill }) => skill).join(", "), 200)],
    ["protocol", negotiated ? `A2A ${negotiated.dialect} ${negotiated.binding}, ${negotiated.delivery}` : ""],
    ["auth", schemes.map(({ name: scheme, kind }) => `${oneLine(scheme, 60)} (${kind})`).join(", ")],
    ["error", oneLine(trouble, 300)],
  ];
  const more = findings.length - MAX_FINDINGS;
  return [
    `${mark(isFaulty(agent), styled("green", "✓"))} ${oneLine(name, 64)}  ${oneLine(url, 200)}`,
    ...facts.filter(([, text]) => text !== "").map(([label, text]) => `  ${label.padEnd(8)} ${text}`),
    ...findings
      .slice(0, MAX_FINDINGS)
      .map(
        (finding) => `  ${mark(finding.startsWith("error"), styled("yellow", "!"))} ${oneLine(finding, 300)}`,
      ),
    ...(more > 0 ? [`  and ${more} more findings; --json shows them`] : []),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

async function withCredentials(
  client: ApiClient,
  wanted: NewAgent,
  auth: readonly string[],
): Promise<NewAgent> {
  if (auth.length === 0) return wanted;
  // Only the card says which kind of credential a scheme takes.
  const { trouble, schemes } = (await client.checkAgent(wanted)).agent;
  if (!schemes)
    throw new CommandError(
      trouble ?? "The agent's card has no security schemes; omit --auth",
      trouble ? EXIT.failed : EXIT.usage,
    );
  return {
    ...wanted,
    credentials: Object.fromEntries(await Promise.all(auth.map((text) => credential(text, schemes)))),
  };
}

type Scheme = NonNullable<Agent["schemes"]>[number];

/** Parses `scheme=secret`; no error repeats a secret. */
async function credential(
  text: string,
  schemes: readonly Scheme[],
): Promise<readonly [string, Record<string, string>]> {
  const at = text.indexOf("=");
  if (at < 1) throw new CommandError("--auth must be SCHEME=SECRET, like bearerAuth=env:TOKEN", EXIT.usage);
  const name = text.slice(0, at);
  const kind = schemes.find((scheme) => scheme.name === name)?.kind;
  const secret = kind && (await secretIn(text.slice(at + 1)));
  switch (kind) {
    case "apiKey":
      return [name, { kind, value: secret ?? "" }];
    case "bearer":
      return [name, { kind, token: secret ?? "" }];
    case "basic": {
      const [, username, password] = /^([^:]*):(.*)$/s.exec(secret ?? "") ?? [];
      if (username === undefined || password === undefined)
        throw new CommandError(`${name} needs user:password`, EXIT.usage);
      return [name, { kind, username, password }];
    }
    case "other":
      throw new CommandError(
        `Parley does not support the kind of security scheme that ${name} is`,
        EXIT.usage,
      );
    case undefined: {
      const known = schemes.map((scheme) => oneLine(scheme.name, 60)).join(", ");
      throw new CommandError(`The agent's card has no security scheme ${name}; it has ${known}`, EXIT.usage);
    }
  }
}

async function secretIn(text: string): Promise<string> {
  if (text.startsWith("@")) return (await readGivenFile(text.slice(1))).trim();
  if (!text.startsWith("env:")) return text;
  const value = process.env[text.slice(4)];
  if (value) return value;
  throw new CommandError(`The environment variable ${text.slice(4)} is not set`, EXIT.usage);
}

/** Asks a yes-or-no question; the answer is no where nobody can be asked. */
async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  using interrupted = untilInterrupted();
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  prompt.on("SIGINT", interrupted.interrupt);
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `, interrupted)).trim());
  } finally {
    prompt.close();
  }
}

function isUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}
