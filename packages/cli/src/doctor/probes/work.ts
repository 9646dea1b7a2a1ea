import type { Task } from "@parley/a2a";
import { isSettled } from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import { eventIn, message, record, type SeenStream, seeStream } from "./talk.ts";
import { type Answer, ask, type Way } from "./way.ts";

/** A stream with something done in its midst. */
export interface Disturbed<T> {
  readonly stream: SeenStream;
  /** What was done; missing where the task ended, or had no name, before anything could be. */
  readonly done: T | undefined;
  /** The task as its agent keeps it afterwards. */
  readonly kept: Answer<Task> | undefined;
}

/** A task that is canceled while it works. */
export function canceled(examination: Examination, way: Way): Promise<Disturbed<Answer<Task>>> {
  return examination.once(`cancel ${way.name}`, () =>
    disturbed(examination, way, (id) => ask(examination, way, { operation: "cancel", request: { id } })),
  );
}

/** A task that somebody else subscribes to while it works. */
export function followed(examination: Examination, way: Way): Promise<Disturbed<SeenStream>> {
  return examination.once(`subscribe ${way.name}`, () =>
    disturbed(examination, way, (id) =>
      seeStream(examination, way, { operation: "subscribe", request: { id } }),
    ),
  );
}

/** A task that gets a second message while it works. */
export function interrupted(examination: Examination, way: Way) {
  return examination.once(`second ${way.name}`, () =>
    disturbed(examination, way, (taskId) => {
      const request = {
        ...message(examination, way, { taskId }),
        configuration: { returnImmediately: true },
      };
      return ask(examination, way, { operation: "send", request });
    }),
  );
}

/** Asks for a stream, and does something as soon as its task is at work and has a name. */
async function disturbed<T>(
  examination: Examination,
  way: Way,
  act: (taskId: string) => Promise<T>,
): Promise<Disturbed<T>> {
  let acting: Promise<T> | undefined;
  let taskId: string | undefined;
  const stream = await seeStream(examination, way, {
    operation: "stream",
    request: message(examination, way),
    watch(frame) {
      const event = eventIn(frame.data);
      if (acting || !("taskId" in event) || event.taskId === undefined) return undefined;
      // A status first, so that the task is really at work when something happens to it.
      const isAtWork = event.kind === "artifact" || (event.state === "working" && event.kind !== "task");
      if (event.kind !== "artifact" && isSettled(event.state)) return undefined;
      taskId = event.taskId;
      if (isAtWork) acting = act(event.taskId);
      acting?.catch(() => undefined);
      return undefined;
    },
  });
  const done = await acting;
  const kept = taskId === undefined ? undefined : await record(examination, way, taskId);
  return { stream, done, kept };
}
