import type { Peer, PeerOptions } from "./peer.ts";
import type { ScriptedEvents } from "./scripted-events.ts";
import { type ScriptedPeerOptions, type Step, type Steps, startScriptedPeer } from "./scripted-peer.ts";

/** The text of the artifact `result` in every faulty peer's valid events, unless the fault is about size. */
export const FAULTY_TEXT = "One two three.";
const LARGE = 20 * 1024 * 1024;
const complete = (say: ScriptedEvents) => say.record("COMPLETED", { result: FAULTY_TEXT });

/** The faults that an agent can have. */
export const FAULTS = {
  /** The card declares streaming, and the method is not there. */
  "no stream method": {
    steps: good,
    answerStream: (call) => call.error(-32601, "Method not found"),
  },
  /** The card declares streaming, and the answer is plain JSON. */
  "plain JSON for a stream": { steps: good, answerStream: (call, task) => call.result({ task }) },
  "endless stream": {
    *steps(say) {
      yield* begun(say);
      for (let place = 0; ; place++) {
        yield say.piece(`more ${place} `, { append: place > 0 });
        // Yields, because tests run it in their own process.
        if (place % 100 === 99) yield { pause: 1 };
      }
    },
    record: (say) => say.record("WORKING"),
  },
  "10,000 artifacts": {
    *steps(say) {
      yield* begun(say);
      for (let place = 0; place < 10_000; place++)
        yield say.piece(`a${place}`, { artifactId: `artifact-${place}`, lastChunk: true });
      yield say.status("COMPLETED");
    },
  },
  "20 MB in one event": {
    *steps(say) {
      yield* begun(say);
      yield say.piece("x".repeat(LARGE), { lastChunk: true });
      yield say.status("COMPLETED");
    },
    record: (say) => say.record("COMPLETED", { result: "x".repeat(LARGE) }),
  },
  "20 MB in many events": {
    *steps(say) {
      yield* begun(say);
      const size = 16 * 1024;
      for (let sent = 0; sent < LARGE; sent += size) yield say.piece("x".repeat(size), { append: sent > 0 });
      yield say.status("COMPLETED");
    },
    record: (say) => say.record("COMPLETED", { result: "x".repeat(LARGE) }),
  },
  "appended before it was begun": {
    *steps(say) {
      yield* begun(say);
      yield say.piece("two ", { append: true });
      yield say.piece("One ", { append: false });
      yield say.piece("three.", { append: true, lastChunk: true });
      yield say.status("COMPLETED");
    },
  },
  "every event twice": {
    *steps(say) {
      for (const step of good(say)) yield* [step, step];
    },
  },
  "events of another task": {
    *steps(say) {
      for (const step of good(say)) yield* [step, ofAnother(step)];
    },
  },
  "artifacts without an id": {
    *steps(say) {
      yield* begun(say);
      yield say.piece("One ", { artifactId: "" });
      yield say.piece("two ", { artifactId: "", append: true });
      yield say.piece("three.", { artifactId: "", append: true, lastChunk: true });
      yield say.status("COMPLETED");
    },
  },
  "no final status": {
    *steps(say) {
      yield* begun(say);
      yield* pieces(say);
    },
  },
  "final status twice": {
    *steps(say) {
      yield* good(say);
      yield say.piece(" And more", { append: true });
      yield say.status("WORKING");
      yield say.status("COMPLETED");
    },
  },
  "garbage between frames": {
    *steps(say) {
      for (const step of good(say)) {
        yield step;
        for (const raw of GARBAGE) yield { raw };
      }
    },
  },
  /** Another description, skill and version each time it is read. */
  "changing card": {
    steps: good,
    card(own, readings) {
      const skill = { id: `skill-${readings}`, name: `Skill ${readings}`, description: "Changes", tags: [] };
      return { ...own, version: `1.0.${readings}`, description: `Reading ${readings}`, skills: [skill] };
    },
  },
  "card of 2 MB": {
    steps: good,
    card: (own) => ({ ...own, description: "long ".repeat(400_000) }),
  },
} satisfies Readonly<Record<string, Omit<ScriptedPeerOptions, keyof PeerOptions>>>;

/** The name of a fault. */
export type Fault = keyof typeof FAULTS;

/** A v1.0 agent that is correct except for one fault. */
export function startFaultyPeer(fault: Fault, options: PeerOptions = {}): Promise<Peer> {
  return startScriptedPeer({
    name: fault.replace(/\W+/g, "-"),
    record: complete,
    ...options,
    ...FAULTS[fault],
  });
}

const GARBAGE = [
  ": nothing\n\n",
  "data: this is not JSON\n\n",
  'data: {"jsonrpc":"2.0","id":1,"result":{"artifactUpd\n\n',
  "event: noise\ndata: [1,2,3]\n\n",
  'data: {"jsonrpc":"2.0","id":1,"result":{"weather":"fine"}}\n\n',
  "\u0000\u0001\ufffd\n\n",
];

function* begun(say: ScriptedEvents): Generator<Step> {
  yield say.task();
  yield say.status("WORKING");
}

function* pieces(say: ScriptedEvents): Generator<Step> {
  yield say.piece("One ");
  yield say.piece("two ", { append: true });
  yield say.piece("three.", { append: true, lastChunk: true });
}

/** A stream without a fault. */
export function* good(say: Parameters<Steps>[0]): Generator<Step> {
  yield* begun(say);
  yield* pieces(say);
  yield say.status("COMPLETED");
}

function ofAnother(step: Step): Step {
  if (!("event" in step)) return step;
  const text = JSON.stringify(step.event).replaceAll(/"(taskId|id)":"/g, '"$1":"another-');
  return { event: JSON.parse(text) };
}
