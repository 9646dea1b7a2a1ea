import { withClient } from "./database.ts";

/**
 * Triggers that note, in the transaction of what they note, who writes to a stream and who takes its lease. The
 * stream's row is locked by both, so for one stream the order of the notes is the order in which it happened.
 */
const TRIGGERS = `
CREATE SCHEMA witness;
CREATE SEQUENCE witness.number;
CREATE TABLE witness.writes (
  number bigint PRIMARY KEY, at timestamptz NOT NULL, stream bigint NOT NULL, last bigint NOT NULL,
  epoch bigint NOT NULL, application text NOT NULL
);
CREATE TABLE witness.leases (
  number bigint PRIMARY KEY, at timestamptz NOT NULL, stream bigint NOT NULL, epoch bigint NOT NULL,
  owner text, before_owner text, before_until timestamptz, application text NOT NULL
);
CREATE FUNCTION witness.note_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO witness.writes SELECT nextval('witness.number'), clock_timestamp(), NEW.stream, NEW.last, epoch,
    current_setting('application_name') FROM parley.streams WHERE id = NEW.stream;
  RETURN NULL;
END $$;
CREATE FUNCTION witness.note_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO witness.leases VALUES (nextval('witness.number'), clock_timestamp(), NEW.id, NEW.epoch,
    NEW.lease_owner, OLD.lease_owner, OLD.lease_until, current_setting('application_name'));
  RETURN NULL;
END $$;
CREATE TRIGGER witness_write AFTER INSERT ON parley.events FOR EACH ROW EXECUTE FUNCTION witness.note_write();
CREATE TRIGGER witness_lease AFTER UPDATE OF epoch ON parley.streams FOR EACH ROW
  WHEN (OLD.epoch IS DISTINCT FROM NEW.epoch) EXECUTE FUNCTION witness.note_lease();`;

/** Who wrote up to which index of a stream, under which epoch, as the database saw it. */
export interface WitnessedWrite {
  readonly number: number;
  readonly at: number;
  readonly stream: string;
  readonly last: number;
  readonly epoch: number;
  /** A node and its life, as in `node-a.2`. */
  readonly application: string;
}

/** Who took or gave up the lease on a stream. */
export interface WitnessedLease {
  readonly number: number;
  readonly at: number;
  readonly stream: string;
  readonly epoch: number;
  readonly isTaken: boolean;
  /** How long the lease before it would still have lived, in the database's time; null: there was none. */
  readonly leftMs: number | null;
  readonly application: string;
}

/** Makes the database record writers and lease holders from now on. */
export async function callWitness(url: string): Promise<void> {
  await withClient(url, (client) => client.query(TRIGGERS));
}

/** All notes, in order. */
export async function hearWitness(
  url: string,
): Promise<{ readonly writes: readonly WitnessedWrite[]; readonly leases: readonly WitnessedLease[] }> {
  const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;
  return withClient(url, async (client) => {
    const writes = await client.query<WitnessedWrite>(
      `SELECT number::int, ${milliseconds("at")} AS at, name AS stream, last::int, w.epoch::int, application
       FROM witness.writes w JOIN parley.streams s ON s.id = w.stream ORDER BY number`,
    );
    const leases = await client.query<WitnessedLease>(
      `SELECT number::int, ${milliseconds("at")} AS at, name AS stream, l.epoch::int, owner IS NOT NULL AS "isTaken",
         CASE WHEN before_owner IS NULL THEN NULL ELSE ${milliseconds("before_until")} - ${milliseconds("at")} END
           AS "leftMs", application
       FROM witness.leases l JOIN parley.streams s ON s.id = l.stream ORDER BY number`,
    );
    return { writes: writes.rows, leases: leases.rows };
  });
}
