import type { Principal } from "@parley/sessions";
import type { FollowedRun } from "../followed-run.ts";
import type { RunTeller } from "../run-stream.ts";
import type { Answering } from "./asking/asking.ts";
import type { Served } from "./served.ts";
import { heardRun } from "./telling/heard-run.ts";
import { followed, type PartOfRun } from "./telling/part-of-run.ts";
import type { ResponseSettings } from "./telling/response-object.ts";
import { brokenResponse, ResponseTale } from "./telling/response-tale.ts";

/** A response of which it shows only after a while what it is about: what was said may be for a run under way. */
export class OpenedTale implements RunTeller {
  part: PartOfRun | undefined;
  tale: ResponseTale | undefined;

  /** Waits until it shows, and notes what the request said of it; undefined: the signal aborted. */
  async open(
    { api, notes }: Pick<Served, "api" | "notes">,
    principal: Principal,
    { answering, settings }: { readonly answering: Answering; readonly settings: ResponseSettings },
    signal: AbortSignal,
  ): Promise<FollowedRun | undefined> {
    const part = await heardRun(api.sessions, principal, answering, signal);
    if (!part) return undefined;
    await notes.say(principal, part, settings);
    this.part = part;
    this.tale = new ResponseTale(part, settings);
    return followed(part);
  }

  get isOver(): boolean {
    return this.tale?.isOver ?? false;
  }

  begin = () => this.tale?.begin() ?? "";
  event: RunTeller["event"] = (recorded) => this.tale?.event(recorded) ?? "";
  end: RunTeller["end"] = (left) => this.tale?.end(left) ?? "";
  broken: RunTeller["broken"] = (problem) => this.tale?.broken(problem) ?? brokenResponse(problem, 0);
}
