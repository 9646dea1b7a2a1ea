import type { AnsweringDialect } from "../dialects/dialect.ts";
import type { A2AError } from "../protocol/errors.ts";
import type { RestRouter } from "./rest-routes.ts";

/** What tells one version's REST from another's. */
export interface RestForm {
  readonly dialect: AnsweringDialect;
  readonly contentType: string;
  /** What a method and a path below the root ask for. */
  readonly routes: RestRouter;
  readonly errorStatus: (error: A2AError) => number;
  /** The body of an error, which is also the data of a stream's last frame. */
  readonly errorText: (error: A2AError) => string;
}
