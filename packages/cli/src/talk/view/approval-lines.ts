import type { Approval } from "@parley/client";
import { type Line, span, wrapped } from "../../terminal/line.ts";
import { visibleJson } from "../../terminal/plain-text.ts";
import { INDENT } from "./markdown-lines.ts";

/** Whether the user is asked to approve a tool call, and not for a text. */
export function isPermission({ tool }: Approval): boolean {
  return tool !== undefined;
}

/** A question to the user, with the exact arguments of the tool call. */
export function questionLines(approval: Approval, width: number): readonly Line[] {
  const { question, agent, tool, arguments: given } = approval;
  const margins = { first: [span("? ", "notice")], rest: [span(INDENT)] };
  const who = agent === undefined ? "" : `${agent}: `;
  const asked = wrapped([span(`${who}${question}`, "strong")], width, margins);
  if (!isPermission(approval)) return asked;
  const inner = { first: [span(INDENT)], rest: [span(INDENT)] };
  const json = visibleJson(given ?? {}, 2).split("\n");
  return [
    ...asked,
    [span(`${INDENT}${tool?.replaceAll("__", " · ")}`)],
    ...json.flatMap((each) => wrapped([span(each, "code")], width, inner)),
  ];
}

/** The answer to a question, or that the run ended without one. */
export function answeredLines(approval: Approval): readonly Line[] {
  const { decision, tool, question, arguments: given, answer } = approval;
  const what = tool === undefined ? question : `${tool.replaceAll("__", " · ")} ${visibleJson(given ?? {})}`;
  const { text, always, arguments: edited } = (answer ?? {}) as Partial<Record<string, unknown>>;
  const reply = typeof text === "string" && text !== "" ? `: ${text}` : "";
  switch (decision) {
    case "approved": {
      const change = edited === undefined ? "" : ` with ${visibleJson(edited)}`;
      const word = always === true ? "always allowed" : "approved";
      return [[span("✓ ", "good"), span(`${word} `), span(`${what}${change}${reply}`, "quiet")]];
    }
    case "denied":
      return [[span("✗ ", "bad"), span("denied "), span(`${what}${reply}`, "quiet")]];
    case "answered":
      return [[span("✓ ", "good"), span("answered "), span(`${question}${reply}`, "quiet")]];
    default:
      return [[span("? ", "notice"), span("not answered "), span(what, "quiet")]];
  }
}
