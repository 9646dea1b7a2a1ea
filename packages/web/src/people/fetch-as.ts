import type { Me } from "@parley/client";
import { isStillMe } from "./who.ts";

/** Whose requests they are. */
export interface FetchAsOptions {
  readonly me: Me;
  /** False: the server was away, and has yet to say that it is them. */
  readonly isConfirmed: boolean;
  /** Resolves when all is kept that is to be sent. */
  readonly flush: () => Promise<unknown>;
  readonly fetch?: typeof globalThis.fetch;
  readonly reload?: () => void;
}

/**
 * Requests of one user, and of nobody else. A page whose user is not signed in any more begins anew, before anything that
 * waits to be sent is taken for refused; where it cannot be told whether that is so, the request fails as if the server were
 * away, and is sent again.
 */
export function fetchAs(options: FetchAsOptions): typeof globalThis.fetch {
  const { me, flush, fetch = globalThis.fetch, reload = () => location.reload() } = options;
  let confirmed = options.isConfirmed ? Promise.resolve(true) : undefined;
  /** Once the server has confirmed it, it holds until a request is refused. */
  const isMe = () => {
    confirmed ??= isStillMe(me).catch((error: unknown) => {
      confirmed = undefined;
      throw error;
    });
    return confirmed;
  };
  const beginAnew = async () => {
    // What was just written is kept first.
    await flush();
    reload();
    return new Promise<never>(() => {});
  };
  return async (...request) => {
    if (!(await isMe())) return beginAnew();
    const response = await fetch(...request);
    const isRefused = response.status === 401;
    if (!isRefused && !(response.status === 404 && me.isLogin)) return response;
    confirmed = undefined;
    if (!(await isMe())) return beginAnew();
    // Meanwhile they have signed in again elsewhere: what was refused then is taken now.
    return isRefused ? fetch(...request) : response;
  };
}
