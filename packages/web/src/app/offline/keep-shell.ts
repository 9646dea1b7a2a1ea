import { BASE_PATH } from "../base-path.ts";

/** Has the browser keep the client itself, so that it starts though the server is away; when the page has time for it. */
export function keepShell({ serviceWorker }: Navigator = navigator): void {
  // Pages that are not safe have none.
  if (!serviceWorker) return;
  const register = () =>
    serviceWorker
      .register(`${BASE_PATH}/s/worker.js`, { scope: `${BASE_PATH}/`, updateViaCache: "none" })
      .catch(() => {
        // A browser may keep nothing, as in private mode; then a page needs its server to start.
      });
  if ("requestIdleCallback" in window) requestIdleCallback(() => void register(), { timeout: 5_000 });
  else setTimeout(register, 1_000);
}
