import { majorMinorOf } from "../dialects/choose-dialect.ts";
import { A2AError } from "../protocol/errors.ts";

/** Refuses a version other than the one that is spoken here; none at all and any patch of it are fine. */
export function checkVersion(version: string | undefined, supported: string): void {
  const asked = version?.trim();
  if (!asked || majorMinorOf(asked) === supported) return;
  const message = `A2A version ${asked} is not supported here; supported is ${supported}`;
  throw new A2AError("VersionNotSupported", message, { version: asked, supported });
}
