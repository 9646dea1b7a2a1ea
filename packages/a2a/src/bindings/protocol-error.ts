import { StorageError } from "@parley/journal";
import { A2AError } from "../protocol/errors.ts";
import { UnavailableError } from "./http-error.ts";

/** Anything but an error of the protocol is ours: the caller learns that, and `report` what it was. */
export function protocolError(error: unknown, report: (error: unknown) => void): A2AError {
  if (error instanceof A2AError) return error;
  report(error);
  if (error instanceof StorageError) return new UnavailableError();
  return new A2AError("Internal", "Something went wrong on our side");
}
