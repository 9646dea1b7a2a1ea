import type { Context } from "hono";
import type { AdapterEnvironment } from "./adapter-host.ts";
import { Problem } from "./problem.ts";

/** The JSON of a request's body, whose size and depth the server has checked. */
export async function jsonOf({ req }: Context<AdapterEnvironment>): Promise<unknown> {
  try {
    return await req.json();
  } catch {
    throw new Problem("malformed_request", "The body is not JSON");
  }
}
