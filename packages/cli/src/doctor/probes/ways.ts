import { randomUUID } from "node:crypto";
import type { AgentEndpoint } from "@parley/a2a";
import { DIALECTS, type DialectVersion } from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import { type CardAnswer, cards } from "./cards.ts";
import { placeOfEndpoint } from "./grpc-way.ts";
import { type Answer, ask, has, isGrpc, told, type Way, wayOf } from "./way.ts";

/** What became of a claimed way when it was tried. */
export interface TriedWay {
  readonly way: Way;
  readonly answer: Answer<unknown>;
  /** Why it cannot be used; missing where it can. */
  readonly refusal?: string;
}

/** The ways that the cards claim, and what is spoken at the URL itself where there is no card. */
export function claimedWays(examination: Examination): Promise<readonly Way[]> {
  return examination.once("claimed ways", async () => {
    const { modern, first } = await cards(examination);
    const read = (await Promise.all([modern, first].map((card) => spokenOf(examination, card)))).flat();
    const claimed = read.filter((endpoint) => examination.isOwn(placeOfEndpoint(endpoint)));
    const ways = firstOfEach(claimed, ({ binding, dialect, url }) => `${binding} ${dialect} ${url}`).map(
      wayOf,
    );
    if (modern || first) return ways.sort((one, other) => placeOf(one) - placeOf(other));
    const spoken = await spokenDialects(examination, examination.options.url.href);
    return spoken.map((dialect) => bareWay(examination.options.url.href, dialect));
  });
}

/** The endpoints of a card; one that names no version leaves a choice, of which the first that works counts. */
async function spokenOf(
  examination: Examination,
  card: CardAnswer | undefined,
): Promise<readonly AgentEndpoint[]> {
  const { endpoints = [] } = card?.reading ?? {};
  const isGuess =
    card?.document?.supportedInterfaces === undefined && card?.document?.protocolVersion === undefined;
  const [first, ...others] = isGuess
    ? endpoints.filter(({ binding, url }) => binding === "JSONRPC" && examination.isOwn(new URL(url)))
    : [];
  if (!first) return endpoints;
  for (const endpoint of [first, ...others])
    if ((await tried(examination, wayOf(endpoint))).refusal === undefined) return [endpoint];
  return [first];
}

/** Every claimed way, tried with a question that changes nothing. */
export function triedWays(examination: Examination): Promise<readonly TriedWay[]> {
  return examination.once("tried ways", async () => {
    const ways = await claimedWays(examination);
    return Promise.all(ways.map((way) => tried(examination, way)));
  });
}

/** The ways that can be used: of each binding and dialect the first that works. */
export async function usableWays(examination: Examination): Promise<readonly Way[]> {
  const tried = await triedWays(examination);
  const usable = tried.filter(({ refusal }) => refusal === undefined).map(({ way }) => way);
  return firstOfEach(usable, ({ name }) => name);
}

/** One way for each dialect: what is the same in every binding is looked at there. */
export async function mainWays(examination: Examination): Promise<readonly Way[]> {
  return firstOfEach(await usableWays(examination), ({ endpoint }) => endpoint.dialect);
}

function firstOfEach<T>(list: readonly T[], keyOf: (item: T) => string): T[] {
  return [...Map.groupBy(list, keyOf).values()].flatMap(([first]) => (first === undefined ? [] : [first]));
}

/** The dialects of JSON-RPC that are answered at an address, found out by questions that are refused. */
export function spokenDialects(examination: Examination, url: string): Promise<readonly DialectVersion[]> {
  return examination.once(`spoken at ${url}`, async () => {
    const spoken: DialectVersion[] = [];
    for (const { version } of DIALECTS) {
      const { error, code, value } = await emptySend(examination, bareWay(url, version));
      const isRefused = error?.kind === "MethodNotFound" || error?.kind === "VersionNotSupported";
      if (value !== undefined || (code !== undefined && !isRefused && code !== -32600)) spoken.push(version);
    }
    return spoken;
  });
}

/** An id that no task has. */
export function unknownTask(): string {
  return `doctor-unknown-${randomUUID()}`;
}

const BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"];

/** The newest dialect first, and in each JSON-RPC before REST before gRPC. */
function placeOf({ endpoint }: Way): number {
  const age = DIALECTS.findIndex(({ version }) => version === endpoint.dialect);
  return age * BINDINGS.length + BINDINGS.indexOf(endpoint.binding);
}

function bareWay(url: string, dialect: DialectVersion): Way {
  return wayOf({ url, binding: "JSONRPC", dialect });
}

/** A message that is none: who knows the method says so, and nothing is done. */
function emptySend(examination: Examination, way: Way): Promise<Answer<unknown>> {
  const spoil = (body: Record<string, unknown>) =>
    way.endpoint.binding === "JSONRPC" ? { ...body, params: {} } : {};
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text: "" }] } as const;
  const request = { message: { ...message, taskId: unknownTask() }, clientTaskId: true } as const;
  return ask(examination, way, { operation: "send", request, spoil });
}

async function tried(examination: Examination, way: Way): Promise<TriedWay> {
  const answer = await ask(examination, way, { operation: "get", request: { id: unknownTask() } });
  const { status } = answer.exchange;
  if (status === 401 || status === 403)
    return { way, answer, refusal: `it wants authentication (HTTP ${status}): give it with --header` };
  if (answer.problem !== undefined) return { way, answer, refusal: answer.problem };
  if (answer.error?.kind === "VersionNotSupported") return { way, answer, refusal: told(answer) };
  if (answer.error?.kind !== "MethodNotFound") return { way, answer };
  // Over gRPC an empty message is one like any other, and would be acted upon.
  const second = has(way, "send") && !isGrpc(way) ? await emptySend(examination, way) : answer;
  return second.error?.kind === "MethodNotFound"
    ? { way, answer: second, refusal: told(second) }
    : { way, answer };
}
