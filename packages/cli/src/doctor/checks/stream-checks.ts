import { takesMediaType } from "@parley/a2a";
import type { Rule } from "@parley/a2a/checks";
import {
  checksOf,
  type Finding,
  fail,
  type InterfaceCheck,
  interfaceCheck,
  pass,
  skip,
  type UnlistedCheck,
} from "../check.ts";
import { mainCard } from "../probes/cards.ts";
import { streamed } from "../probes/conversation.ts";
import type { InterfaceProbe } from "../probes/interface-probe.ts";
import { errorIn, idIn, isStream, type ObservedStream } from "../probes/observed-stream.ts";

const MAX_EVENT = 1_048_576;
const MAX_STREAM = 16 * 1_048_576;
const MAX_ARTIFACTS = 1_000;
const NO_STREAM = skip("There is no stream to check");

/** Checks of the shape of a stream. */
export const streamChecks = checksOf("Streaming", [
  streamCheck(
    {
      id: "stream-frames",
      title: "Every frame is a valid event",
      clause: "A2A 1.0 §9.4.2, §11.7; 0.3 §7.2",
      severity: "must",
      meaning: "Invalid frames end the stream of a strict client.",
      remedy: "Send one JSON document per event, in data lines, followed by an empty line.",
    },
    byRules("unreadable", "mixed-dialects"),
  ),
  streamCheck(
    {
      id: "stream-envelope",
      title: "Every frame has the id of its request",
      clause: "A2A 1.0 §9.4.2; JSON-RPC 2.0 §5",
      severity: "must",
      meaning: "A client cannot tell which request an event answers.",
      remedy: "Repeat jsonrpc and the request's id in each frame.",
      appliesTo: ({ isJsonRpc }) => isJsonRpc,
    },
    ({ wire, frames }) => {
      const expected = idIn(wire.request.body ?? "");
      const wrong = frames.filter(({ data }) => {
        if (data.length >= 4_096) return false;
        const id = idIn(data);
        return id === undefined ? data.includes('"result"') : id !== expected;
      });
      if (wrong.length === 0) return pass("Every frame has it");
      return fail(`${wrong.length} of ${frames.length} frames have another id or none`, [wire.evidence]);
    },
  ),
  streamCheck(
    {
      id: "stream-begin",
      title: "A stream starts with its task, once, or is a single message",
      clause: "A2A 1.0 §3.1.2 (0.1: begins with a status)",
      severity: "must",
      meaning: "A client does not know which task it is watching, or takes it for two.",
      remedy: "Send the Task first and only then status and artifact updates; send each event once.",
    },
    (seen) => {
      const found = byRules("task-first", "task-twice")(seen);
      const isDoubled = found.result === "fail" && isEveryEventDoubled(seen);
      return isDoubled ? { ...found, detail: `Events are sent twice: ${found.detail}` } : found;
    },
  ),
  streamCheck(
    {
      id: "stream-end",
      title: "A stream ends with exactly one terminal status",
      clause: "A2A 1.0 §3.1.2; protocol.md, “What implementers get wrong”",
      severity: "must",
      meaning:
        "A client waits forever, takes half an answer for a whole one, or sees a finished task change.",
      remedy: "Send a terminal (or input-required) status last, then close the stream and send nothing more.",
    },
    (seen, { examination }) => {
      const { wire, report } = seen;
      const failed = (detail: string) => fail(detail, [wire.evidence]);
      if (wire.end === "too long")
        return failed(
          `Did not end within ${examination.options.timeout / 1_000} s (${report.events} events); use a longer --timeout`,
        );
      if (wire.end === "too large" || wire.end === "left")
        return failed(`Did not end within ${report.events} events and ${wire.bytes} bytes`);
      if (wire.end === "broken") return failed(`The connection broke: ${wire.failure}`);
      const error = errorIn(seen);
      if (error !== undefined) return failed(`Ends with an error: ${error}`);
      return byRules("after-final", "no-final-status")(seen);
    },
  ),
  streamCheck(
    {
      id: "stream-final",
      title: "final is true on the last status, and only there",
      clause: "A2A 0.3 §7.2.2; 0.1 TaskStatusUpdateEvent",
      severity: "must",
      meaning: "Clients of v0.3 and v0.1 close the stream at final: too early, or never.",
      remedy: "Set final: true on terminal and input-required states, false on all others.",
      appliesTo: ({ dialect }) => dialect !== "1.0",
    },
    byRules("final-flag"),
  ),
  streamCheck(
    {
      id: "stream-one-task",
      title: "All events belong to one task and one context",
      clause: "A2A 1.0 §3.1.2, §4.2",
      severity: "must",
      meaning: "A client mixes two answers, or one caller sees another's.",
      remedy: "Send only events of the stream's own task, with its taskId and contextId.",
    },
    byRules("other-task", "other-context"),
  ),
  streamCheck(
    {
      id: "stream-states",
      title: "State transitions are legal",
      clause: "A2A 1.0 §4.1.3; protocol.md",
      severity: "should",
      meaning: "An unknown state, or one that goes back, confuses clients that show progress.",
      remedy:
        "Send submitted, working, then a terminal or interrupted state; nothing follows a terminal one.",
    },
    byRules("illegal-state"),
  ),
  streamCheck(
    {
      id: "stream-index",
      title: "Event ids increase",
      clause: "HTML §9.2 (Last-Event-ID)",
      severity: "should",
      meaning: "A client that resumes after an id gets events twice, or misses some.",
      remedy: "Give each event an id that is larger than the one before, or none.",
    },
    (seen) =>
      seen.frames.some(({ id }) => id !== undefined)
        ? byRules("index-not-rising")(seen)
        : skip("The events have no ids"),
  ),
  streamCheck(
    {
      id: "stream-size",
      title: "Events and streams are small enough for clients",
      clause: "protocol.md (ours: 1 MB an event, 16 MB a stream, 1,000 artifacts)",
      severity: "should",
      meaning: "Clients limit what they read, and disconnect.",
      remedy: "Send large content in chunks or by URL, and fewer artifacts.",
    },
    ({ wire, report, frames }) => {
      const largest = Math.max(0, ...frames.map(({ size }) => size));
      const found = [
        ...(largest > MAX_EVENT ? [`an event of ${largest} characters`] : []),
        ...(wire.bytes > MAX_STREAM ? [`${wire.bytes} bytes`] : []),
        ...(report.artifacts.length > MAX_ARTIFACTS ? [`${report.artifacts.length} artifacts`] : []),
      ];
      if (found.length > 0) return fail(`The stream has ${found.join(", ")}`);
      const average = report.events > 0 ? Math.round(wire.bytes / report.events) : 0;
      return pass(`${wire.bytes} bytes, ${average} per event`);
    },
  ),
]);

/** Checks of streamed artifacts. */
export const artifactChecks = checksOf("Artifacts", [
  streamCheck(
    {
      id: "artifact-append",
      title: "append extends an artifact that was started",
      clause: "A2A 1.0 §4.2.2; protocol.md, “What implementers get wrong”",
      severity: "must",
      meaning: "The first chunk appends to nothing: clients drop it, or join the text wrongly.",
      remedy: "Send the first chunk of each artifact with append: false.",
    },
    byRules("append-to-nothing"),
  ),
  streamCheck(
    {
      id: "artifact-last-chunk",
      title: "Nothing is appended after lastChunk",
      clause: "A2A 1.0 §4.2.2",
      severity: "must",
      meaning: "A client that acted on the whole artifact had only a part of it.",
      remedy: "Set lastChunk on the last chunk only.",
    },
    byRules("append-after-last-chunk"),
  ),
  streamCheck(
    {
      id: "artifact-id",
      title: "Every artifact has an id",
      clause: "A2A 1.0 §4.1.7; 0.3 §6.7",
      severity: "must",
      meaning: "Clients cannot join chunks without knowing what they belong to.",
      remedy: "Give each artifact an artifactId, and repeat it with each chunk.",
    },
    byRules("artifact-without-id"),
  ),
  streamCheck(
    {
      id: "artifact-snapshot",
      title: "A snapshot repeats its artifact exactly",
      clause: "protocol.md, “Our extension”",
      severity: "should",
      meaning: "partial_result and streaming_result give two different answers.",
      remedy: "Repeat the streamed text exactly.",
    },
    byRules("snapshot-differs"),
  ),
  interfaceCheck(
    {
      id: "artifact-output-modes",
      title: "Artifacts have media types that the card lists as output modes",
      clause: "A2A 1.0 §4.4.1, §4.4.5; 0.3 §5.5",
      severity: "should",
      meaning: "A client that chose the agent by its output modes gets content that it cannot show.",
      remedy:
        "List every media type that the agent sends in defaultOutputModes, or in its skills' outputModes.",
      capability: "streaming",
    },
    async (probe) => {
      const card = (await mainCard(probe.examination))?.reading?.card;
      if (!card) return NO_STREAM;
      const { mediaTypes, wire } = await streamed(probe);
      const listed = [
        ...card.defaultOutputModes,
        ...card.skills.flatMap(({ outputModes = [] }) => outputModes),
      ];
      const modes = listed.flatMap((mode) => LEGACY_MODES[mode] ?? [mode]);
      const others = [...mediaTypes].filter((type) => !takesMediaType(modes, type));
      if (others.length === 0) return pass([...mediaTypes].join(", ") || "No artifacts");
      return fail(`Sends ${others.join(", ")}, but lists ${listed.join(", ") || "nothing"}`, [wire.evidence]);
    },
  ),
]);

/** Names of output modes in old cards, before they were media types. */
const LEGACY_MODES: Readonly<Record<string, readonly string[]>> = {
  text: ["text/*"],
  data: ["application/json"],
  file: ["*/*"],
};

function streamCheck(
  texts: InterfaceCheck,
  judge: (seen: ObservedStream, probe: InterfaceProbe) => Finding,
): UnlistedCheck {
  return interfaceCheck({ ...texts, capability: "streaming" }, async (probe) => {
    const seen = await streamed(probe);
    return isStream(seen.wire) && seen.frames.length > 0 ? judge(seen, probe) : NO_STREAM;
  });
}

function byRules(...rules: readonly Rule[]): (seen: ObservedStream) => Finding {
  return ({ wire, faults, report }) => {
    const [first, ...others] = faults.filter(({ rule }) => rules.includes(rule));
    if (!first) return pass(`${report.events} events`);
    const more = others.length > 0 ? `, and ${others.length} more` : "";
    return fail(`Event ${first.event}: ${first.rule}, ${first.detail}${more}`, [wire.evidence]);
  };
}

/** Half of the frames repeat the one before, which no text does. */
function isEveryEventDoubled({ frames }: ObservedStream): boolean {
  const repeats = frames.filter(({ data }, at) => data === frames[at - 1]?.data).length;
  return frames.length >= 4 && repeats * 2 >= frames.length;
}
