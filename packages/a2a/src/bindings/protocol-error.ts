import { EventTooLargeError, StorageError } from "@parley/journal";
import { A2AError } from "../protocol/errors.ts";
import { UnavailableError } from "./http-error.ts";
import { BodyTooLargeError } from "./read-json.ts";

/** Anything but an error of the protocol is ours: the caller learns that, and `report` what it was. */
export function protocolError(error: unknown, report: (error: unknown) => void): A2AError {
  if (error instanceof A2AError) return error;
  // A body just below the limit, which grew beyond it by what we record with it.
  if (error instanceof EventTooLargeError) return new BodyTooLargeError();
  report(error);
  if (error instanceof StorageError) return new UnavailableError();
  return new A2AError("Internal", "Something went wrong on our side");
}
