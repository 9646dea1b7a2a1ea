import { indices } from "./01-indices.ts";
import { deliveredAfterCommit } from "./02-delivered-after-commit.ts";
import { acknowledgedMessages } from "./03-acknowledged-messages.ts";
import { oneEffect } from "./04-one-effect.ts";
import { resuming } from "./05-resuming.ts";
import { takeover } from "./06-takeover.ts";
import { nothingLostOrDoubled } from "./07-nothing-lost-or-doubled.ts";
import { terminalStates } from "./08-terminal-states.ts";
import { chunks } from "./09-chunks.ts";
import { forks } from "./10-forks.ts";
import { replay } from "./11-replay.ts";
import { oneWinner } from "./12-one-winner.ts";
import { fencedWriters } from "./13-fenced-writers.ts";
import { webhooks } from "./14-webhooks.ts";
import { oneOrder } from "./15-one-order.ts";
import { slowReaders } from "./16-slow-readers.ts";
import { wallClock } from "./17-wall-clock.ts";
import { fullDisk } from "./18-full-disk.ts";
import { offlineClients } from "./19-offline-clients.ts";
import { otherPeople } from "./20-other-people.ts";
import { toolsOnce } from "./a-tools-once.ts";
import { processesStay } from "./b-processes-stay.ts";
import { plainRefusals } from "./c-plain-refusals.ts";
import { serviceUnderAttack } from "./d-service-under-attack.ts";
import { nothingFromElsewhere } from "./e-nothing-from-elsewhere.ts";
import type { Invariant } from "./invariant.ts";

/** Every invariant of the design, by number, and five of this harness's own. */
export const INVARIANTS: readonly Invariant[] = [
  ...[indices, deliveredAfterCommit, acknowledgedMessages, oneEffect, resuming, takeover],
  ...[nothingLostOrDoubled, terminalStates, chunks, forks, replay, oneWinner, fencedWriters],
  ...[webhooks, oneOrder, slowReaders, wallClock, fullDisk, offlineClients, otherPeople],
  ...[toolsOnce, processesStay, plainRefusals, serviceUnderAttack, nothingFromElsewhere],
];
