import pg from "pg";

/** A lease in the database of some nodes. */
export interface KeptLease {
  readonly stream: string;
  readonly epoch: number;
  /** The process that has it. */
  readonly owner: string | null;
}

/** The leases on streams of this kind ("run/", "task/"), as the database has them. */
export async function leasesIn(database: string, kind: string): Promise<KeptLease[]> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; epoch: string; lease_owner: string | null }>(
      "SELECT name, epoch, lease_owner FROM parley.streams WHERE starts_with(name, $1)",
      [kind],
    );
    return rows.map(({ name, epoch, lease_owner }) => ({
      stream: name,
      epoch: Number(epoch),
      owner: lease_owner,
    }));
  } finally {
    await client.end();
  }
}
