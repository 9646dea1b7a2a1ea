import { ofStep } from "./requirement.ts";

/** The promises of the design, by number; tests cite them as "invariant 7". */
export const invariants = [
  ...ofStep("journal", [
    ["invariant 1", "Indices of a stream are 1..n: no gap, no repeat, never reassigned"],
    ["invariant 13", "A paused owner cannot write after takeover"],
    ["invariant 15", "All followers of a stream see one order"],
    [
      "invariant 18",
      "A full disk: no acknowledgement, recovery when space returns; a failed fsync ends the process",
    ],
  ]),
  ...ofStep("a2a", [
    ["invariant 2", "An event is delivered only after its commit"],
    ["invariant 3", "An acknowledged user message survives kill −9"],
    ["invariant 4", "A repeated command with the same Idempotency-Key has one effect and the same answer"],
    ["invariant 5", "After Last-Event-ID comes the next event visible in that dialect, or an explicit reset"],
    ["invariant 6", "What is in flight at a crash resumes, or ends with a reason, within 15 s"],
    ["invariant 7", "Across an A2A reconnect nothing is lost or doubled"],
    ["invariant 8", "A terminal state never changes"],
    ["invariant 9", "Chunks joined equal the final text, byte for byte, and the first has append=false"],
    ["invariant 11", "The log replayed equals the live projection"],
    ["invariant 12", "Cancel and completion: exactly one winner, and the answer agrees"],
    ["invariant 14", "Webhooks: at least once, in order per task, stable id, never before commit"],
    ["invariant 16", "A slow reader is bounded, cut, and resumes"],
    ["invariant 17", "The wall clock decides no order and no ownership"],
    ["invariant 20", "Nobody reads, writes or guesses what is not theirs"],
  ]),
  ...ofStep("sessions", [["invariant 10", "A fork is exactly the prefix"]]),
  ...ofStep("clients", [["invariant 19", "An offline client converges; queued sends apply once"]]),
];
