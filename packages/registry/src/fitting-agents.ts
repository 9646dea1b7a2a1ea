import type { AgentCard } from "@parley/a2a";
import type { KnownAgent } from "./known-agent.ts";

/**
 * Those of the candidates that are up and share a skill's id or a tag with this card, the best first: more shared
 * ids, then more shared tags, then the candidates' own order. Ids and tags are compared without regard to case.
 */
export function fittingAgents(card: AgentCard, candidates: readonly KnownAgent[]): KnownAgent[] {
  const wanted = skillWords(card);
  return candidates
    .filter(({ state }) => state === "up")
    .map((agent) => {
      const offered = agent.card ? skillWords(agent.card) : undefined;
      return { agent, ids: shared(wanted.ids, offered?.ids), tags: shared(wanted.tags, offered?.tags) };
    })
    .filter(({ ids, tags }) => ids + tags > 0)
    .sort((a, b) => b.ids - a.ids || b.tags - a.tags)
    .map(({ agent }) => agent);
}

/** Those that are up and have this skill, by its id or name, or else by a tag; in their own order, without regard to case. */
export function skilledAgents(skill: string, candidates: readonly KnownAgent[]): KnownAgent[] {
  const wanted = skill.toLowerCase();
  const up = candidates.filter(({ state, card }) => state === "up" && card);
  const has = (words: (skill: AgentCard["skills"][number]) => readonly string[]) =>
    up.filter(({ card }) =>
      card?.skills.some((one) => words(one).some((word) => word.toLowerCase() === wanted)),
    );
  return [...new Set([...has(({ id, name }) => [id, name]), ...has(({ tags }) => tags)])];
}

function skillWords({ skills }: AgentCard) {
  return {
    ids: new Set(skills.map(({ id }) => id.toLowerCase())),
    tags: new Set(skills.flatMap(({ tags }) => tags.map((tag) => tag.toLowerCase()))),
  };
}

function shared(wanted: ReadonlySet<string>, offered: ReadonlySet<string> = new Set()): number {
  return [...wanted].filter((word) => offered.has(word)).length;
}
