import { createHash } from "node:crypto";
import type { Moment, RecordedAnswer, RecordedPlan } from "./recording.ts";

/** What an agent did, in a line or more for each moment, as it is compared and shown. */
export function momentsText(moments: readonly Moment[]): string {
  return moments.map(momentText).join("\n");
}

/** What an agent said as its answer. */
export function saidIn(moments: readonly Moment[]): string {
  return moments.map((moment) => (isAnswer(moment) ? moment.says : "")).join("");
}

/** Whether it is a piece of the agent's answer. */
export function isAnswer(moment: Moment): moment is Extract<Moment, { says: string }> {
  return "says" in moment && moment.artifact === undefined;
}

/** A plan's step in a line. */
export function stepText({ id, title, agent, dependencies, state }: RecordedPlan[number]): string {
  const after = dependencies.length > 0 ? `, after ${dependencies.join(", ")}` : "";
  return `${id}: ${title} — ${agent ?? "nobody"}${after} (${state})`;
}

/** What a person was asked, and answered. */
export function answerText({ question, agent, decision, text, arguments: given }: RecordedAnswer): string {
  const words = text === undefined ? "" : `: ${text}`;
  const instead = given === undefined ? "" : ` with ${stableJson(given)}`;
  return `${agent ?? "the agent"} asks: ${question} → ${decision}${instead}${words}`;
}

function momentText(moment: Moment): string {
  const by = moment.by === undefined ? "" : `${moment.by} `;
  if ("says" in moment) return `${by}says${moment.artifact ? ` (${moment.artifact})` : ""}: ${moment.says}`;
  if ("asks" in moment) return `${by}asks: ${moment.asks}`;
  if ("brings" in moment)
    return `${by}brings ${moment.brings}: ${stableJson(moment.parts.map(withoutContent))}`;
  const { calls, arguments: given, outcome = "not ended", result } = moment;
  const came = result === undefined ? "" : ` ${stableJson(result)}`;
  return `${by}calls ${calls} ${stableJson(given ?? {})} → ${outcome}${came}`;
}

function withoutContent({ raw, ...part }: Readonly<Record<string, unknown>>): object {
  if (typeof raw !== "string") return part;
  return { ...part, sha256: createHash("sha256").update(raw).digest("hex").slice(0, 16) };
}

/** JSON in which the order of members does not matter. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
