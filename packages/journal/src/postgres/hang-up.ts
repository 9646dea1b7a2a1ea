import type pg from "pg";

const GOODBYE_WITHIN_MS = 1_000;

/** Ends a connection, but does not wait long for an answer. */
export async function hangUp(client: pg.Client): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GOODBYE_WITHIN_MS);
  });
  await Promise.race([client.end().catch(() => {}), patience]);
  clearTimeout(timer);
}
