import { ofStep } from "./requirement.ts";

/** Requirements of our own. */
export const ours = [
  ...ofStep("a2a", [
    ["+1", "Resume without a gap on every hop by cursor and Last-Event-ID, across restarts"],
    ["+11", "A2A v1.0, v0.3 and v0.1 on one URL"],
  ]),
  ...ofStep("supervisor", [
    ["+2", "Cancel that cascades, acknowledged by each child, late events fenced"],
    ["+5", "Budgets inherited by children; delegation cycles detected"],
    ["+6", "A live plan as data"],
    ["+9", "Provenance of each part of an answer"],
  ]),
  ...ofStep("sessions", [
    ["+3", "Time travel over exact replay, and fork from any event"],
    ["+4", "Branches compared side by side"],
    ["+7", "One approvals inbox that survives days and restarts"],
    ["+12", "One process on SQLite, or many nodes on Postgres, nothing lost when one dies"],
  ]),
  ...ofStep("clients", [
    ["+8", "A protocol doctor for any agent"],
    ["+10", "Any session becomes an offline regression test"],
  ]),
];
