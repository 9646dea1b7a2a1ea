import { randomUUID } from "node:crypto";
import type { AgentEndpoint } from "@parley/a2a";
import { DIALECTS, type DialectVersion } from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import { type CardAnswer, cards } from "./cards.ts";
import { endpointAddress } from "./grpc-exchange.ts";
import { type Answer, answerText, InterfaceProbe } from "./interface-probe.ts";

/** A claimed interface and what it answered to a harmless request. */
export interface TriedInterface {
  readonly probe: InterfaceProbe;
  readonly answer: Answer<unknown>;
  /** Why the interface cannot be used; missing where it can. */
  readonly refusal?: string;
}

/** The interfaces that the cards claim; without a card, the versions that are spoken at the URL itself. */
export function claimedInterfaces(examination: Examination): Promise<readonly InterfaceProbe[]> {
  return examination.once("claimed interfaces", async () => {
    const { modern, legacy } = await cards(examination);
    const { href } = examination.options.url;
    if (!modern && !legacy) {
      const spoken = await spokenDialects(examination, href);
      return spoken.map((dialect) => jsonRpcProbe(examination, href, dialect));
    }
    const read = (await Promise.all([modern, legacy].map((card) => endpointsOf(examination, card)))).flat();
    const own = read.filter((endpoint) => examination.isOwn(endpointAddress(endpoint)));
    return firstOfEach(own, ({ binding, dialect, url }) => `${binding} ${dialect} ${url}`)
      .map((endpoint) => new InterfaceProbe(examination, endpoint))
      .sort((one, other) => rankOf(one) - rankOf(other));
  });
}

/** The endpoints of a card; where it names no version, the first version that works. */
async function endpointsOf(
  examination: Examination,
  card: CardAnswer | undefined,
): Promise<readonly AgentEndpoint[]> {
  const { endpoints = [] } = card?.reading ?? {};
  const namesNoVersion =
    card?.document?.supportedInterfaces === undefined && card?.document?.protocolVersion === undefined;
  const candidates = namesNoVersion
    ? endpoints.filter(({ binding, url }) => binding === "JSONRPC" && examination.isOwn(new URL(url)))
    : [];
  if (candidates.length === 0) return endpoints;
  for (const endpoint of candidates)
    if ((await tryInterface(new InterfaceProbe(examination, endpoint))).refusal === undefined)
      return [endpoint];
  return candidates.slice(0, 1);
}

/** Tries every claimed interface with a request that changes nothing. */
export function triedInterfaces(examination: Examination): Promise<readonly TriedInterface[]> {
  return examination.once("tried interfaces", async () =>
    Promise.all((await claimedInterfaces(examination)).map(tryInterface)),
  );
}

/** The first usable interface of each binding and version. */
export async function usableInterfaces(examination: Examination): Promise<readonly InterfaceProbe[]> {
  const usable = (await triedInterfaces(examination)).filter(({ refusal }) => refusal === undefined);
  return firstOfEach(
    usable.map(({ probe }) => probe),
    ({ name }) => name,
  );
}

/** The first usable interface of each version, for what does not depend on the binding. */
export async function mainInterfaces(examination: Examination): Promise<readonly InterfaceProbe[]> {
  return firstOfEach(await usableInterfaces(examination), ({ dialect }) => dialect);
}

function firstOfEach<T>(list: readonly T[], keyOf: (item: T) => string): T[] {
  return [...Map.groupBy(list, keyOf).values()].flatMap((group) => group.slice(0, 1));
}

/** The versions that are answered over JSON-RPC at a URL, detected by requests that are refused. */
export function spokenDialects(examination: Examination, url: string): Promise<readonly DialectVersion[]> {
  return examination.once(`spoken at ${url}`, async () => {
    const spoken: DialectVersion[] = [];
    for (const { version } of DIALECTS) {
      const { error, code, value } = await sendNothing(jsonRpcProbe(examination, url, version));
      const isRefused = error?.kind === "MethodNotFound" || error?.kind === "VersionNotSupported";
      if (value !== undefined || (code !== undefined && !isRefused && code !== -32600)) spoken.push(version);
    }
    return spoken;
  });
}

/** A task id that no agent knows. */
export function unknownTaskId(): string {
  return `doctor-unknown-${randomUUID()}`;
}

const BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"];

/** Newest version first, and within it JSON-RPC, REST, gRPC. */
function rankOf({ endpoint }: InterfaceProbe): number {
  const age = DIALECTS.findIndex(({ version }) => version === endpoint.dialect);
  return age * BINDINGS.length + BINDINGS.indexOf(endpoint.binding);
}

function jsonRpcProbe(examination: Examination, url: string, dialect: DialectVersion): InterfaceProbe {
  return new InterfaceProbe(examination, { url, binding: "JSONRPC", dialect });
}

/** Sends no message: an agent that supports the method refuses the params, without any effect. */
function sendNothing(probe: InterfaceProbe): Promise<Answer<unknown>> {
  const tamper = (body: Record<string, unknown>) => (probe.isJsonRpc ? { ...body, params: {} } : {});
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text: "" }] } as const;
  const request = { message: { ...message, taskId: unknownTaskId() }, clientTaskId: true } as const;
  return probe.ask("send", request, { tamper });
}

async function tryInterface(probe: InterfaceProbe): Promise<TriedInterface> {
  const answer = await probe.ask("get", { id: unknownTaskId() });
  const { status } = answer.exchange;
  if (status === 401 || status === 403)
    return { probe, answer, refusal: `authentication required (HTTP ${status}); use --header` };
  if (answer.problem !== undefined) return { probe, answer, refusal: answer.problem };
  if (answer.error?.kind === "VersionNotSupported") return { probe, answer, refusal: answerText(answer) };
  if (answer.error?.kind !== "MethodNotFound") return { probe, answer };
  // Over gRPC an empty message is a message, and the agent would act on it.
  const second = probe.supports("send") && !probe.isGrpc ? await sendNothing(probe) : answer;
  return second.error?.kind === "MethodNotFound"
    ? { probe, answer: second, refusal: answerText(second) }
    : { probe, answer };
}
