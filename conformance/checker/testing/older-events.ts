import type { Json } from "@parley/a2a";

/** The events of v0.3 and v0.1, of the task `t1`, for the steps of a scripted peer. */
export const task03 = { event: { kind: "task", id: "t1", contextId: "c", status: { state: "submitted" } } };

export const status03 = (state: string, final: boolean) => ({
  event: { kind: "status-update", taskId: "t1", contextId: "c", status: { state }, final },
});

export const piece03 = (text: string, append: boolean) => ({
  event: {
    ...{ kind: "artifact-update", taskId: "t1", contextId: "c", append },
    artifact: { artifactId: "a", parts: [{ kind: "text", text }] },
  },
});

export const status01 = (state: string, final = false) => ({ event: { id: "t1", status: { state }, final } });

export const piece01 = (text: string, append: boolean, more: { index?: number; metadata?: Json } = {}) => ({
  event: { id: "t1", artifact: { parts: [{ type: "text", text }], index: 0, ...more, append } },
});
