import { ToolFailure } from "../tool-answer.ts";
import type { ManagedResource } from "./argocd-api.ts";
import { type ChangedField, changedFields } from "./changed-fields.ts";

/** A resource whose live state differs from Git. */
export interface ResourceDiff {
  readonly resource: string;
  readonly change: "create" | "delete" | "modify";
  readonly fields: readonly ChangedField[];
}

/** What a sync would change. */
export function applicationDiff(resources: readonly ManagedResource[]): ResourceDiff[] {
  return resources.flatMap((it): ResourceDiff[] => {
    const resource = [it.kind, it.namespace, it.name].filter(Boolean).join("/");
    const live = state(it.normalizedLiveState ?? it.liveState);
    const desired = state(it.targetState) === null ? null : state(it.predictedLiveState ?? it.targetState);
    if (live === null && desired === null) return [];
    if (live === null) return [{ resource, change: "create", fields: [] }];
    if (desired === null) return [{ resource, change: "delete", fields: [] }];
    const fields = changedFields(live, desired);
    return fields.length === 0 ? [] : [{ resource, change: "modify", fields: hidden(it.kind, fields) }];
  });
}

/** Argo CD sends states as JSON in a string; "null" and a missing value both mean none. */
function state(text: string | undefined): unknown {
  if (text === undefined || text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new ToolFailure("Argo CD sent a resource's state that is not JSON.");
  }
}

/** Shows that a secret differs, but not its content. */
function hidden(kind: string, fields: readonly ChangedField[]): readonly ChangedField[] {
  if (kind !== "Secret") return fields;
  return fields.map(({ path }) => ({ path, live: "(hidden)", desired: "(hidden)" }));
}
