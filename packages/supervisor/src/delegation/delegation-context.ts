import {
  type Budget,
  budget,
  type DelegationChain,
  delegationChain,
  type Message,
  type Metadata,
  memberIn,
  type Part,
  takesMediaType,
  withMember,
} from "@parley/a2a";

const DEFAULT_DEPTH = 3;
/** More would not fit into what agents accept. */
const MAX_FILE_CHARACTERS = 700_000;
/** Whatever is claimed: under several addresses, an agent could be reached again and again. */
const MAX_DEPTH = 10;

/** A link of the delegation chain. */
export type ChainLink = DelegationChain["agents"][number];

/** The budget and the delegation chain of a message, and what remains for the next agent. */
export class DelegationContext {
  /** Further levels of delegation. */
  readonly depth: number;
  readonly fanOut: number;
  readonly timeMs: number;
  readonly tokens: number;
  readonly #chain: readonly ChainLink[];
  readonly #files: readonly Part[];
  readonly #began = performance.now();

  constructor({ metadata, parts }: Message, self: ChainLink) {
    const given = memberIn(metadata, budget).value ?? {};
    this.depth = Math.min(given.depth ?? DEFAULT_DEPTH, MAX_DEPTH);
    this.fanOut = given.fanOut ?? Number.POSITIVE_INFINITY;
    this.timeMs = given.timeMs ?? Number.POSITIVE_INFINITY;
    this.tokens = given.tokens ?? Number.POSITIVE_INFINITY;
    this.#chain = [...(memberIn(metadata, delegationChain).value?.agents ?? []), self];
    this.#files = parts.filter(({ raw, url }) => raw !== undefined || url !== undefined);
  }

  /** The message's files that an agent with these input modes accepts. */
  files(modes: readonly string[]): readonly Part[] {
    const taken = this.#files.filter(({ mediaType }) =>
      takesMediaType(modes, mediaType ?? "application/octet-stream"),
    );
    const characters = taken.reduce((sum, { raw = "" }) => sum + raw.length, 0);
    return characters > MAX_FILE_CHARACTERS ? [] : taken;
  }

  /** Why an agent must not be called; undefined: it may. */
  refusal(agent: ChainLink): string | undefined {
    if (this.depth < 1) return `${agent.name} was not called: no further delegation is allowed here`;
    if (!this.#chain.some(({ url }) => sameAddress(url, agent.url))) return undefined;
    const names = [...this.#chain, agent].map(({ name }) => name).join(" → ");
    return `${agent.name} was not called: it is already part of this chain of delegations (${names})`;
  }

  /** Metadata for a message to the next agent, with the remaining budget. */
  metadata({ tokens }: { readonly tokens: number }): Metadata {
    const left: Budget = {
      depth: this.depth - 1,
      ...(Number.isFinite(this.fanOut) && { fanOut: this.fanOut }),
      ...(Number.isFinite(tokens) && { tokens: Math.max(0, Math.floor(tokens)) }),
      ...(Number.isFinite(this.timeMs) && {
        timeMs: Math.max(0, this.timeMs - (performance.now() - this.#began)),
      }),
    };
    return withMember(withMember(undefined, budget, left), delegationChain, { agents: [...this.#chain] });
  }
}

function sameAddress(one: string, other: string): boolean {
  const plain = (url: string) => url.replace(/(?<!\/)\/+$/, "").toLowerCase();
  return plain(one) === plain(other);
}
