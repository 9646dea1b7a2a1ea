import type { Json, Message, Metadata, Part } from "@parley/a2a";
import { z } from "zod";

/** What is recorded of a delegation, as notes of the supervisor's task: where one goes on that was cut short. */
const entry = z.object({
  id: z.string(),
  /** Before anything is sent: to whom, under which key, and with what budget. */
  began: z
    .object({ agent: z.string(), key: z.string(), metadata: z.custom<Metadata>().optional() })
    .optional(),
  /** The sub-agent's task, and the context that it is in there. */
  task: z.string().optional(),
  contextId: z.string().optional(),
  /** It asked a person; what it asked is recorded so that the same question can be put again. */
  asked: z.array(z.custom<Part>()).optional(),
  /** How many times it has asked, this time included. */
  questions: z.number().optional(),
  /** What the person answered: a whole message, which goes to just this task. */
  replied: z.custom<Message>().optional(),
  /** Steps of a plan that the user has skipped, in one message. */
  skip: z.array(z.string()).optional(),
  /** The reply has reached the sub-agent. */
  delivered: z.literal(true).optional(),
  ended: z
    .object({
      state: z.enum(["completed", "failed", "canceled", "unknown"]),
      text: z.string(),
      /** How many characters of the answer are its. */
      said: z.number(),
    })
    .optional(),
  /** How a canceled sub-agent took it, or that it said nothing in time. */
  canceled: z.object({ acknowledged: z.boolean(), detail: z.string(), ms: z.number() }).optional(),
});

/** A change of a delegation, and how it stands: the sum of its changes. */
export type DelegationEntry = Readonly<z.infer<typeof entry>>;

export interface NoteWriter {
  note(note: Json): Promise<void>;
  noteLater(note: Json): void;
}

/** The change that a note tells of; undefined: it is about something else. */
export function delegationIn(note: Json): DelegationEntry | undefined {
  if (typeof note !== "object" || note === null || !("delegation" in note)) return undefined;
  return entry.parse((note as { delegation: Json }).delegation);
}

/** All delegations of a task, as its notes tell. */
export class DelegationLog {
  readonly #writer: NoteWriter;
  readonly #states = new Map<string, DelegationEntry>();
  #messages = 0;

  constructor(notes: readonly Json[], writer: NoteWriter) {
    this.#writer = writer;
    for (const note of notes) {
      const change = delegationIn(note);
      if (change) this.#apply(change);
    }
  }

  get(id: string): DelegationEntry | undefined {
    return this.#states.get(id);
  }

  /** Those that have asked and got no answer yet, the oldest question first. */
  get openQuestions(): readonly DelegationEntry[] {
    return [...this.#states.values()].filter(({ asked, replied, ended }) => asked && !replied && !ended);
  }

  /** How many messages of the user's were taken as replies, or as decisions about a plan. */
  get messages(): number {
    return this.#messages;
  }

  /** Records a change; resolves when it is committed. */
  async record(change: DelegationEntry): Promise<void> {
    await this.#writer.note({ delegation: change as unknown as Json });
    this.#apply(change);
  }

  /** Records a change together with what comes next. */
  recordLater(change: DelegationEntry): void {
    this.#writer.noteLater({ delegation: change as unknown as Json });
    this.#apply(change);
  }

  #apply(change: DelegationEntry): void {
    if (change.replied || change.skip) this.#messages++;
    const known = this.#states.get(change.id);
    const { replied: _, delivered: __, ...unanswered } = known ?? { id: change.id };
    // Another agent, or another question, is a new chapter.
    const before = change.began ? {} : change.asked ? unanswered : known;
    const skip = [...(known?.skip ?? []), ...(change.skip ?? [])];
    // Whoever asks last is last among those who ask.
    if (change.asked) this.#states.delete(change.id);
    this.#states.set(change.id, { ...before, ...change, ...(skip.length > 0 && { skip }) });
  }
}
