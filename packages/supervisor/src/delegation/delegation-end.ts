import { textOf, type Usage } from "@parley/a2a";
import type { Forwarding } from "./forwarding.ts";

const MAX_TEXT = 262_144;

export type DelegationEnd =
  | {
      readonly state: "completed" | "failed" | "canceled" | "unknown";
      readonly text: string;
      readonly usage?: Usage | undefined;
    }
  | Waiting;

export interface Waiting {
  readonly state: "waiting";
  readonly text: string;
}

/** An end with what matters only until it is reported. */
export type Ended = Exclude<DelegationEnd, { state: "waiting" }> & {
  readonly mayFallBack?: boolean;
  readonly warning?: string | undefined;
};

/** Truncates a text for the model. */
export function boundedText(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n[cut here: ${text.length} characters]` : text;
}

export function failed(text: string): Ended {
  return { state: "failed", text };
}

export function ending(forwarding: Forwarding, agent: string): Ended {
  const { state, message, text, usage, leftOut } = forwarding;
  const words = message ? textOf(message) : "";
  switch (state) {
    case "TASK_STATE_COMPLETED": {
      const warning =
        leftOut > 0 ? `${leftOut} further artifacts were too many, and were left out.` : undefined;
      return { state: "completed", text: warning ? `${text}\n\n[${warning}]` : text, usage, warning };
    }
    case "TASK_STATE_CANCELED":
      return { state: "canceled", text: words || `${agent} canceled it.`, usage };
    case "TASK_STATE_FAILED":
    case "TASK_STATE_REJECTED":
      return {
        state: "failed",
        text: words || `${agent} failed, and did not say why.`,
        usage,
        mayFallBack: true,
      };
    default:
      return {
        state: "failed",
        text: `${agent} stopped without saying how it ended.`,
        usage,
        mayFallBack: true,
      };
  }
}
