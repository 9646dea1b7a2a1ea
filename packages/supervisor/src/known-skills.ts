import type { AgentCard, AgentSkill } from "@parley/a2a";

/** What another agent can do, as a skill of ours, and no more of its card than a reader of ours needs. */
export function knownSkill({ name, card }: { readonly name: string; readonly card: AgentCard }): AgentSkill {
  const { skills } = card;
  const tags = skills.flatMap((skill) => skill.tags).slice(0, 1_000);
  const examples = skills.flatMap((skill) => skill.examples ?? []);
  return {
    id: name,
    name: cut(card.name, 100),
    description: cut(card.description, 1_000),
    tags: [...new Set(tags.map((tag) => cut(tag, 50)))].slice(0, 20),
    examples: examples.slice(0, 3).map((example) => cut(example, 300)),
  };
}

function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
