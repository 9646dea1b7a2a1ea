import { durationText, phaseOf, type RunPhase, type RunRecord, type Surroundings } from "@parley/client";

/** What a run under way is about, never just "busy"; with the seconds since it is so. */
export function phaseText(run: RunRecord, around: Surroundings): string {
  const phase = phaseOf(run, around);
  // Those say how it goes on, and not how long it has.
  const isTimed = "since" in phase && phase.name !== "stopping" && phase.name !== "writing";
  const elapsed = isTimed ? Math.floor((around.now - phase.since) / 1_000) * 1_000 : 0;
  const words = wordsOf(phase);
  return elapsed >= 1_000 ? `${words} (${durationText(elapsed).replace(".0", "")})` : words;
}

function wordsOf(phase: RunPhase): string {
  switch (phase.name) {
    case "starting":
      return "Starting";
    case "planning":
      return "Planning";
    case "thinking":
      return "Thinking";
    case "writing":
      return "Writing";
    case "stopping":
      return "Stopping";
    case "agents":
      return `Waiting for ${phase.agents.join(" and ")}`;
    case "tool":
      return `Using ${phase.tool.replaceAll("__", " · ")}`;
    case "you":
      return "Waiting for you";
    case "stalled":
      return "Nothing heard for a while";
    case "completed":
      return "Done";
    case "failed":
    case "interrupted":
      return "Failed";
    case "cancelled":
      return "Stopped";
  }
}
