/** Channel of notices about changed accounts, keys and members. The payload is `account <id>`, `key <id>` or `member <id>`. */
export const accountsChannel = 'cairn_accounts';

/**
 * Tables of accounts. Records are JSON, as in the embedded store. Columns beside them are those by which rows are found.
 * Text is compared by bytes.
 */
export const accountSteps: readonly string[] = [
  `CREATE TABLE accounts (
    id text COLLATE "C" PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    record json NOT NULL
  );
  CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL,
    record json NOT NULL
  );
  CREATE INDEX api_keys_of_account ON api_keys (account_id, id);
  CREATE TABLE members (
    id text COLLATE "C" PRIMARY KEY,
    email text COLLATE "C" NOT NULL UNIQUE,
    record json NOT NULL
  );
  CREATE TABLE member_sessions (
    id text COLLATE "C" PRIMARY KEY,
    member_id text COLLATE "C" NOT NULL,
    expires_at bigint NOT NULL,
    record json NOT NULL
  );
  CREATE INDEX member_sessions_of_member ON member_sessions (member_id);
  CREATE INDEX member_sessions_by_end ON member_sessions (expires_at);
  CREATE TABLE audit_entries (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id text COLLATE "C",
    record json NOT NULL
  );
  CREATE INDEX audit_entries_of_account ON audit_entries (account_id, number);
  CREATE TABLE service_secrets (
    name text COLLATE "C" PRIMARY KEY,
    secret bytea NOT NULL
  )`,
  // Each row has the number of the transaction that changed it last. A trigger sets it for programs of the version before as well.
  `ALTER TABLE accounts ADD COLUMN changed xid8 NOT NULL DEFAULT pg_current_xact_id();
  ALTER TABLE api_keys ADD COLUMN changed xid8 NOT NULL DEFAULT pg_current_xact_id();
  CREATE FUNCTION cairn_set_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.changed := pg_current_xact_id();
    RETURN NEW;
  END $$;
  CREATE TRIGGER accounts_changed BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION cairn_set_changed();
  CREATE TRIGGER api_keys_changed BEFORE UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION cairn_set_changed();
  CREATE INDEX accounts_by_change ON accounts (changed);
  CREATE INDEX api_keys_by_change ON api_keys (changed)`,
  `CREATE TABLE member_tokens (
    id text COLLATE "C" PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    expires_at bigint NOT NULL,
    record json NOT NULL
  );
  CREATE INDEX member_tokens_of_subject ON member_tokens (subject, kind, id);
  CREATE INDEX member_tokens_by_end ON member_tokens (expires_at)`,
  `CREATE INDEX members_of_account ON members ((record->>'accountId'), id)`,
];
