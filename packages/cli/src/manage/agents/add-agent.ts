import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import type { Agent, ApiClient, NewAgent } from "@parley/client";
import { CommandError, EXIT } from "../../command-error.ts";
import { fromHere } from "../../from-here.ts";
import { connected, type ServerOptions } from "../../server-address.ts";
import { interruption } from "../../terminal/interruption.ts";
import { oneLine } from "../../terminal/plain-text.ts";
import { printJson, printText, styled, tell } from "../../terminal/print.ts";

const MAX_FINDINGS = 40;

/** Whether an agent cannot be used, or its card breaks the specification. */
function isFaulty({ state, findings = [] }: Agent): boolean {
  return state !== "up" || findings.some((finding) => finding.startsWith("error"));
}

/** What was found of an agent, for a person. */
function agentReport(agent: Agent): string {
  const {
    name,
    url,
    state,
    description = "",
    skills = [],
    negotiated,
    schemes,
    trouble,
    findings = [],
  } = agent;
  const mark = isFaulty(agent) ? styled("red", "✗") : styled("green", "✓");
  const facts: [string, string][] = [
    ["state", state],
    ["about", oneLine(description, 200)],
    ["skills", oneLine(skills.map(({ name: skill }) => skill).join(", "), 200)],
    [
      "spoken",
      negotiated ? `A2A ${negotiated.dialect} by ${negotiated.binding}, ${negotiated.delivery}` : "",
    ],
    ["auth", (schemes ?? []).map(({ name: scheme, kind }) => `${oneLine(scheme, 60)} (${kind})`).join(", ")],
    ["trouble", oneLine(trouble ?? "", 300)],
  ];
  const lines = facts
    .filter(([, text]) => text !== "")
    .map(([what, text]) => `  ${what.padEnd(8)} ${text}\n`);
  const shown = findings
    .slice(0, MAX_FINDINGS)
    .map((finding) => `  ${findingMark(finding)} ${oneLine(finding, 300)}\n`);
  const more = findings.length - shown.length;
  return [
    `${mark} ${oneLine(name, 64)}  ${oneLine(url, 200)}\n`,
    ...lines,
    ...shown,
    ...(more > 0 ? [`  and ${more} more findings: --json shows them\n`] : []),
  ].join("");
}

function findingMark(finding: string): string {
  return finding.startsWith("error") ? styled("red", "✗") : styled("yellow", "!");
}

export interface AddOptions extends ServerOptions {
  readonly name?: string;
  readonly auth?: readonly string[];
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Adds an agent after a look at it; what is wrong with it must be confirmed. */
export async function addAgent(url: string, options: AddOptions): Promise<void> {
  const { name, yes = false, json = false } = options;
  const client = await connected(options);
  const wanted = await withCredentials(
    client,
    { url: agentUrl(url), ...(name !== undefined && { name }) },
    options.auth ?? [],
  );
  const { agent } = await client.checkAgent(wanted);
  if (isFaulty(agent) && !yes) {
    process.stderr.write(agentReport(agent));
    if (!(await confirmed("Add it all the same?")))
      throw new CommandError("It was not added: mend what was found, or add it all the same with --yes");
  }
  const added = (await client.addAgent(wanted)).agent;
  if (json) return printJson({ agent: added });
  await printText(agentReport(added));
  tell(`Added: parley agents remove ${added.name} takes it out again`);
}

async function withCredentials(
  client: ApiClient,
  wanted: NewAgent,
  auth: readonly string[],
): Promise<NewAgent> {
  if (auth.length === 0) return wanted;
  // Which kind of credential a scheme takes is in the card alone.
  const { agent } = await client.checkAgent(wanted);
  if (!agent.schemes)
    throw new CommandError(
      agent.trouble ?? "The agent's card has no security schemes: leave --auth out",
      agent.trouble ? EXIT.failed : EXIT.usage,
    );
  return { ...wanted, credentials: credentialsFrom(auth, agent.schemes) };
}

type Scheme = NonNullable<Agent["schemes"]>[number];

/** Credentials as the API takes them, from `scheme=secret`; no error repeats a secret. */
function credentialsFrom(
  given: readonly string[],
  schemes: readonly Scheme[],
): Record<string, Record<string, string>> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw new CommandError("--auth takes SCHEME=SECRET, like bearerAuth=env:TOKEN", EXIT.usage);
      const name = text.slice(0, at);
      const scheme = schemes.find((one) => one.name === name);
      const known = schemes.map((one) => oneLine(one.name, 60)).join(", ");
      if (!scheme)
        throw new CommandError(
          `The agent's card has no security scheme ${name}: it has ${known}`,
          EXIT.usage,
        );
      return [name, credential(scheme, secretIn(text.slice(at + 1)))];
    }),
  );
}

function secretIn(text: string): string {
  if (text.startsWith("env:")) {
    const value = process.env[text.slice(4)];
    if (value) return value;
    throw new CommandError(`${text.slice(4)} is not set in the environment`, EXIT.usage);
  }
  if (!text.startsWith("@")) return text;
  try {
    return readFileSync(fromHere(text.slice(1)), "utf8").trim();
  } catch {
    throw new CommandError(`${text.slice(1)} cannot be read: name a file with the secret in it`, EXIT.usage);
  }
}

function credential({ name, kind }: Scheme, secret: string): Record<string, string> {
  switch (kind) {
    case "apiKey":
      return { kind, value: secret };
    case "bearer":
      return { kind, token: secret };
    case "basic": {
      const at = secret.indexOf(":");
      if (at < 0) throw new CommandError(`${name} takes user:password`, EXIT.usage);
      return { kind, username: secret.slice(0, at), password: secret.slice(at + 1) };
    }
    case "other":
      throw new CommandError(`${name} is of a kind that Parley cannot use`, EXIT.usage);
  }
}

/** Whether the person says yes; where nobody can be asked, no. */
async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const { signal, interrupt } = interruption();
  asking.on("SIGINT", interrupt);
  try {
    return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `, { signal })).trim());
  } finally {
    asking.close();
  }
}

/** Looks at an agent and prints what was found; the exit code says whether it can be used. */
export async function checkAgent(
  agent: string,
  options: ServerOptions & { readonly json?: boolean },
): Promise<void> {
  const client = await connected(options);
  const found = isUrl(agent) ? await client.checkAgent({ url: agent }) : await client.recheckAgent(agent);
  if (options.json) await printJson(found);
  else await printText(agentReport(found.agent));
  if (isFaulty(found.agent)) process.exitCode = EXIT.failed;
}

function agentUrl(text: string): string {
  if (isUrl(text)) return text;
  throw new CommandError(`An agent's address is like https://agent.example.com, not ${text}`, EXIT.usage);
}

function isUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}
