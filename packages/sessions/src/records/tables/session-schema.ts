import type { Migration } from "@parley/journal";

/** How one dialect writes what the two write differently. */
interface Words {
  readonly text: string;
  readonly number: string;
  readonly counted: string;
  /** A column for the order of rows, where the table has none by itself. */
  readonly order: string;
}

const SQLITE: Words = {
  text: "TEXT",
  number: "INTEGER",
  counted: "INTEGER PRIMARY KEY AUTOINCREMENT",
  order: "",
};
const POSTGRES: Words = {
  text: "text",
  number: "bigint",
  counted: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  order: "number bigint GENERATED ALWAYS AS IDENTITY,",
};

// A fork outlives its parent's removal, so `parent_session_id` refers to what may be gone.
const TABLES = ({ text, number, counted, order }: Words) => `
  CREATE TABLE sessions (
    session_id ${text} PRIMARY KEY, created_at ${text} NOT NULL, updated_at ${text} NOT NULL,
    metadata_json ${text} NOT NULL,
    owner ${text} NOT NULL, workspace ${text} NOT NULL, title ${text} NOT NULL, status ${text} NOT NULL,
    agent ${text}, agent_url ${text}, context_id ${text}, parent_session_id ${text}, fork_reason ${text},
    config_json ${text} NOT NULL, message_count ${number} NOT NULL, revision ${number} NOT NULL,
    change_index ${number} NOT NULL, created_index ${number} NOT NULL, active_run ${text}, open_approvals ${text} NOT NULL,
    restorable_until ${text}, packed_revision ${number} NOT NULL DEFAULT 0
  );
  CREATE INDEX sessions_by_change ON sessions (workspace, owner, change_index);
  CREATE INDEX sessions_by_context ON sessions (context_id) WHERE context_id IS NOT NULL;
  CREATE INDEX sessions_to_pack ON sessions (updated_at) WHERE status = 'archived';
  CREATE INDEX sessions_to_purge ON sessions (restorable_until) WHERE status = 'deleted';

  CREATE TABLE session_messages (
    id ${counted},
    session_id ${text} NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    revision_id ${text} NOT NULL, message_index ${number} NOT NULL, role ${text} NOT NULL,
    content ${text} NOT NULL, metadata_json ${text}, created_at ${text} NOT NULL,
    message_id ${text} NOT NULL, owner ${text} NOT NULL, workspace ${text} NOT NULL,
    UNIQUE (session_id, message_index)
  );

  CREATE TABLE agent_runs (
    run_id ${text} PRIMARY KEY, ${order}
    session_id ${text} NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    agent_url ${text} NOT NULL, context_id ${text} NOT NULL, input_snapshot_hash ${text} NOT NULL,
    status ${text} NOT NULL, started_at ${text} NOT NULL, completed_at ${text}, metadata_json ${text},
    agent ${text} NOT NULL, message_id ${text} NOT NULL, retry_of ${text}, reason ${text}, usage_json ${text},
    owner ${text} NOT NULL, workspace ${text} NOT NULL
  );

  CREATE TABLE session_events (
    id ${counted},
    session_id ${text} NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    run_id ${text} REFERENCES agent_runs (run_id) ON DELETE CASCADE,
    event_index ${number} NOT NULL, event_type ${text} NOT NULL, payload_json ${text} NOT NULL,
    created_at ${text} NOT NULL, owner ${text} NOT NULL, workspace ${text} NOT NULL,
    UNIQUE (session_id, event_index)
  );
  CREATE INDEX session_events_by_run ON session_events (run_id) WHERE run_id IS NOT NULL;

  CREATE TABLE session_forks (
    fork_id ${text} PRIMARY KEY, parent_session_id ${text} NOT NULL,
    child_session_id ${text} NOT NULL UNIQUE REFERENCES sessions (session_id) ON DELETE CASCADE,
    fork_reason ${text}, forked_at_message_index ${number} NOT NULL, created_at ${text} NOT NULL,
    forked_at_event_index ${number} NOT NULL, owner ${text} NOT NULL, workspace ${text} NOT NULL
  );
  CREATE INDEX session_forks_by_parent ON session_forks (parent_session_id);

  CREATE TABLE session_approvals (
    approval_id ${text} NOT NULL, session_id ${text} NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    ${order} run_id ${text} NOT NULL, status ${text} NOT NULL, request_json ${text} NOT NULL, answer_json ${text},
    requested_at ${text} NOT NULL, answered_at ${text}, owner ${text} NOT NULL, workspace ${text} NOT NULL,
    PRIMARY KEY (session_id, approval_id)
  );

  CREATE TABLE session_request_keys (
    owner ${text} NOT NULL, key ${text} NOT NULL, hash ${text} NOT NULL,
    session_id ${text} NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    event_index ${number} NOT NULL, events ${number} NOT NULL, child_id ${text}, child_events ${number},
    PRIMARY KEY (owner, key)
  );
  CREATE INDEX session_request_keys_by_session ON session_request_keys (session_id);

  CREATE TABLE session_tombstones (
    session_id ${text} PRIMARY KEY, owner ${text} NOT NULL, workspace ${text} NOT NULL, change_index ${number} NOT NULL
  );
  CREATE INDEX session_tombstones_by_change ON session_tombstones (workspace, owner, change_index);`;

// In SQLite the order of rows is their rowid, which ends every index by itself.
const ORDERED = (order: string) => `
  CREATE INDEX agent_runs_under_way ON agent_runs (session_id) WHERE completed_at IS NULL;
  CREATE INDEX agent_runs_by_session ON agent_runs (session_id, workspace, owner${order});
  CREATE INDEX agent_runs_by_owner ON agent_runs (workspace, owner${order});
  CREATE INDEX session_approvals_by_status ON session_approvals (workspace, owner, status${order});
  CREATE INDEX session_approvals_all ON session_approvals (workspace, owner${order});`;

// Titles are at message index −1. The words are made by us, so that both databases find the same.
const SEARCH_SQLITE = `
  CREATE TABLE session_search (
    id INTEGER PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    message_index INTEGER NOT NULL, UNIQUE (session_id, message_index)
  );
  CREATE VIRTUAL TABLE session_search_words USING fts5 (
    words, content = '', contentless_delete = 1, detail = none,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
  );
  CREATE TRIGGER session_search_deleted AFTER DELETE ON session_search BEGIN
    DELETE FROM session_search_words WHERE rowid = old.id;
  END;`;

const SEARCH_POSTGRES = `
  CREATE TABLE session_search (
    session_id text NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    message_index bigint NOT NULL, words tsvector NOT NULL, UNIQUE (session_id, message_index)
  );
  CREATE INDEX session_search_words ON session_search USING gin (words);`;

const STATISTICS = ({ text, number }: Words, real: string) => `
  ALTER TABLE agent_runs ADD COLUMN first_token_at ${text};
  ALTER TABLE session_request_keys ADD COLUMN children_json ${text};

  CREATE TABLE agent_statistics (
    workspace ${text} NOT NULL, owner ${text} NOT NULL, agent ${text} NOT NULL, kind ${text} NOT NULL,
    ended ${number} NOT NULL, failed ${number} NOT NULL, cancelled ${number} NOT NULL,
    timed ${number} NOT NULL, total_ms ${number} NOT NULL, longest_ms ${number} NOT NULL,
    first_tokens ${number} NOT NULL, first_token_ms ${number} NOT NULL,
    input_tokens ${number} NOT NULL, output_tokens ${number} NOT NULL,
    PRIMARY KEY (workspace, owner, agent, kind)
  );
  CREATE TABLE agent_costs (
    workspace ${text} NOT NULL, owner ${text} NOT NULL, agent ${text} NOT NULL, currency ${text} NOT NULL,
    amount ${real} NOT NULL, PRIMARY KEY (workspace, owner, agent, currency)
  );
  CREATE TABLE agent_delegations (
    run_id ${text} NOT NULL REFERENCES agent_runs (run_id) ON DELETE CASCADE, call_id ${text} NOT NULL,
    agent ${text} NOT NULL, PRIMARY KEY (run_id, call_id)
  );`;

// What ended before these figures were kept counts too; what it used is in `agent_runs`.
const EARLIER_RUNS = (milliseconds: string) => `
  INSERT INTO agent_statistics
  SELECT workspace, owner, agent, 'run', count(*), sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END),
    sum(CASE WHEN status = 'cancelled' THEN 1 ELSE 0 END), count(*), sum(${milliseconds}), max(${milliseconds}), 0, 0, 0, 0
  FROM agent_runs WHERE completed_at IS NOT NULL GROUP BY workspace, owner, agent;`;

const UNPACKED = `
  DROP INDEX sessions_to_pack;
  CREATE INDEX sessions_to_pack ON sessions (updated_at) WHERE packed_revision < revision;`;

// What conversations have come to after each message: by that a client's own copy of one is found.
const HISTORIES = ({ text, number }: Words) => `
  CREATE TABLE message_histories (
    session_id ${text} NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    message_index ${number} NOT NULL, hash ${text} NOT NULL, owner ${text} NOT NULL, workspace ${text} NOT NULL,
    PRIMARY KEY (session_id, message_index)
  );
  CREATE INDEX message_histories_by_hash ON message_histories (workspace, owner, hash);`;

/** The steps of the record's tables; only ever added to. */
export const sessionMigrations: readonly Migration[] = [
  {
    sqlite: TABLES(SQLITE) + ORDERED("") + SEARCH_SQLITE,
    postgres: TABLES(POSTGRES) + ORDERED(", number") + SEARCH_POSTGRES,
  },
  {
    sqlite:
      STATISTICS(SQLITE, "REAL") +
      EARLIER_RUNS("CAST((julianday(completed_at) - julianday(started_at)) * 86400000 AS INTEGER)"),
    postgres:
      STATISTICS(POSTGRES, "double precision") +
      EARLIER_RUNS(
        "CAST(extract(epoch FROM completed_at::timestamptz - started_at::timestamptz) * 1000 AS bigint)",
      ),
  },
  // Cold storage is for all sessions that nobody touches, not only for archived ones.
  { sqlite: UNPACKED, postgres: UNPACKED },
  { sqlite: HISTORIES(SQLITE), postgres: HISTORIES(POSTGRES) },
];
