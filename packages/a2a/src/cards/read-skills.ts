import type { AgentSkill } from "./agent-card.ts";
import { type CardFindings, isJsonObject, type JsonObject } from "./card-findings.ts";
import { definedMembers } from "./defined-members.ts";
import { readRequirements } from "./read-security.ts";

/** The skills of any version of the card; a skill that is only a word is given the rest. */
export function readSkills(card: JsonObject, findings: CardFindings): AgentSkill[] {
  const skills = findings.items(card, "skills", "$");
  if (skills === undefined) findings.error("$.skills", "it is required");
  return (skills ?? []).flatMap((skill, index) => {
    const path = `$.skills[${index}]`;
    if (isJsonObject(skill)) return readSkill(skill, findings, path);
    if (typeof skill === "string" && skill !== "") {
      findings.error(path, "a skill is an object with id, name, description and tags");
      return { id: skill, name: skill, description: "", tags: [] };
    }
    findings.error(path, "it is not a skill");
    return [];
  });
}

function readSkill(skill: JsonObject, findings: CardFindings, path: string): AgentSkill {
  const id = findings.text(skill, "id", path);
  const name = findings.text(skill, "name", path);
  if (id === undefined) findings.error(`${path}.id`, "it is required");
  if (name === undefined) findings.error(`${path}.name`, "it is required");
  const description = findings.text(skill, "description", path);
  if (description === undefined) findings.warning(`${path}.description`, "it is missing");
  const tags = findings.texts(skill, "tags", path);
  if (tags === undefined) findings.warning(`${path}.tags`, "it is missing");
  return {
    id: id ?? name ?? path,
    name: name ?? id ?? path,
    description: description ?? "",
    tags: tags ?? [],
    ...definedMembers({
      examples: findings.texts(skill, "examples", path),
      inputModes: findings.texts(skill, "inputModes", path),
      outputModes: findings.texts(skill, "outputModes", path),
      securityRequirements: readRequirements(skill, findings, path),
    }),
  };
}
