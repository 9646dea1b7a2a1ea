import { z } from "zod";
import type { ToolAnnotations } from "../mcp/mcp-tool.ts";

/** Whether a tool may be called: after asking the user, always, or never. */
export const approvalMode = z.enum(["ask", "always", "never"]);
export type ApprovalMode = z.infer<typeof approvalMode>;

/** An agent's rules: the first pattern that matches a tool's name decides, then the default. */
export interface ApprovalRules {
  readonly default?: ApprovalMode | undefined;
  readonly tools: readonly { readonly pattern: string; readonly mode: ApprovalMode }[];
}

/** What the rules say about a tool; without a rule, what only reads may run, and all else asks. */
export function approvalFor(
  rules: ApprovalRules,
  tool: { readonly name: string; readonly annotations: ToolAnnotations },
): ApprovalMode {
  const rule = rules.tools.find(({ pattern }) => matchesPattern(pattern, tool.name));
  return rule?.mode ?? rules.default ?? (tool.annotations.readOnlyHint === true ? "always" : "ask");
}

/** Whether a name matches a pattern, in which `*` is any text and `?` any one character. */
export function matchesPattern(pattern: string, name: string): boolean {
  let [at, position, star, resume] = [0, 0, -1, 0];
  while (position < name.length) {
    if (pattern[at] === "*") {
      [star, resume] = [at, position];
      at += 1;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[position])) {
      at += 1;
      position += 1;
    } else if (star !== -1) {
      resume += 1;
      [at, position] = [star + 1, resume];
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}
