/**
 * Tables of pins. The key of `pins` is in the byte order of accounts and CIDs. Names are JSON texts, since PostgreSQL stores no zero
 * byte and no lone surrogate. Roots have no rows of their own: `pins_by_root` counts and finds them, so that accounts with the
 * same root do not contend for a row. `pin_changes` lists roots that an account began or ended to pin.
 */
const tables = `
  CREATE TABLE pin_usage (
    account text COLLATE "C" PRIMARY KEY,
    pins bigint NOT NULL,
    blocks bigint NOT NULL,
    bytes bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE pins (
    account text COLLATE "C" NOT NULL REFERENCES pin_usage,
    cid bytea NOT NULL,
    mode smallint NOT NULL,
    name text,
    added_as text,
    is_requested boolean NOT NULL,
    created_at bigint NOT NULL,
    blocks bigint NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (account, cid)
  );
  CREATE INDEX pins_by_root ON pins (mode, cid);
  CREATE TABLE pin_releases (
    account text COLLATE "C" NOT NULL,
    mode smallint NOT NULL,
    cid bytea NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (account, mode, cid)
  );
  CREATE INDEX pin_releases_by_time ON pin_releases (at);
  CREATE TABLE pin_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at bigint NOT NULL,
    account text COLLATE "C" NOT NULL,
    mode smallint NOT NULL,
    cid bytea NOT NULL
  );
  CREATE INDEX pin_changes_by_transaction ON pin_changes (transaction_id, id);
  CREATE TABLE pin_control (
    name text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
  );
  CREATE TABLE pin_leases (
    name text COLLATE "C" PRIMARY KEY,
    holder text COLLATE "C" NOT NULL,
    expires_at timestamptz NOT NULL
  )`;

/** Kinds of operations of {@link changePins}. */
export const operationKinds = { put: 0, putKnownRoot: 1, remove: 2 } as const;
/** Results of operations of {@link changePins}. */
export const operationResults = { done: 0, quotaExceeded: 1, notPinned: 2, rootUnknown: 3 } as const;
/** Milliseconds for which changes are listed. A reader that is further behind compares all roots. */
const changesKeptMs = 3_600_000;
/** Row of `pin_control` with the last transaction whose changes are no longer listed. */
export const prunedChanges = 'pruned-changes';

/**
 * Applies operations on pins of one account, one after the other, each whole or not at all. Pins of a call have distinct CIDs.
 *
 * - The row of the account is locked first. Each statement of a volatile function has a new snapshot, so that later statements
 *   see all earlier changes of the account. Quotas are thus exact for any number of processes.
 * - A known root must stay pinned until this transaction ends, since its blocks are not walked again. So a row that pins it is
 *   locked in share mode, against removal and a change of its mode. A locked row is skipped, so that this step never waits; the
 *   root then counts as unknown. A removal waits for such locks. Calls have either known roots or other operations, so that a
 *   deadlock needs two accounts that change the modes of each other's roots. PostgreSQL ends one, and it is repeated.
 * - No lock is left when the client pauses, since the function is one statement.
 *
 * Arrays of operations: kind, quota, bytes in addition to pins. Arrays of pins: the number of the operation, then columns.
 */
const changePinsFunction = `
CREATE FUNCTION cairn_change_pins_v1(
  of_account text, changed_at bigint,
  kinds smallint[], quotas float8[], others float8[],
  operations int[], cids bytea[], modes smallint[], names text[], added text[], requested boolean[], created bigint[],
  new_blocks bigint[], new_bytes bigint[]
) RETURNS TABLE (outcome smallint, used float8, growth float8, place int, known_blocks bigint, known_bytes bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  total pin_usage;
  old_modes smallint[]; old_blocks bigint[]; old_bytes bigint[];
  accepted boolean[] := array_fill(false, ARRAY[cardinality(operations)]);
  first int; last int := 0; size int := cardinality(operations);
  more_pins bigint; more_blocks bigint; more_bytes bigint;
BEGIN
  SELECT * INTO total FROM pin_usage WHERE account = of_account FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO pin_usage VALUES (of_account, 0, 0, 0) ON CONFLICT DO NOTHING;
    SELECT * INTO total FROM pin_usage WHERE account = of_account FOR UPDATE;
  END IF;

  SELECT array_agg(p.mode ORDER BY w.place), array_agg(p.blocks ORDER BY w.place), array_agg(p.bytes ORDER BY w.place)
  INTO old_modes, old_blocks, old_bytes
  FROM unnest(cids) WITH ORDINALITY AS w (cid, place) LEFT JOIN pins p ON p.account = of_account AND p.cid = w.cid;

  IF kinds[1] = ${operationKinds.putKnownRoot} THEN
    SELECT array_agg(coalesce(own.blocks, k.blocks) ORDER BY w.place), array_agg(coalesce(own.bytes, k.bytes) ORDER BY w.place)
    INTO new_blocks, new_bytes
    FROM unnest(cids, modes) WITH ORDINALITY AS w (cid, mode, place)
    LEFT JOIN pins own ON own.account = of_account AND own.cid = w.cid AND own.mode = w.mode
    LEFT JOIN LATERAL (
      SELECT p.blocks, p.bytes FROM pins p
      WHERE own.cid IS NULL AND p.mode = w.mode AND p.cid = w.cid AND p.account <> of_account
      LIMIT 1 FOR SHARE SKIP LOCKED
    ) k ON true;
  END IF;

  FOR operation IN 1 .. cardinality(kinds) LOOP
    first := last + 1;
    outcome := ${operationResults.done}; used := NULL; growth := NULL; place := NULL;
    more_pins := 0; more_blocks := 0; more_bytes := 0;
    WHILE last < size AND operations[last + 1] = operation LOOP
      last := last + 1;
      IF kinds[operation] = ${operationKinds.remove} THEN
        IF old_modes[last] IS NULL AND outcome = ${operationResults.done} THEN
          outcome := ${operationResults.notPinned}; place := last - first;
        END IF;
      ELSE
        IF new_bytes[last] IS NULL THEN outcome := ${operationResults.rootUnknown}; END IF;
        more_pins := more_pins + 1;
        more_blocks := more_blocks + new_blocks[last];
        more_bytes := more_bytes + new_bytes[last];
      END IF;
      IF old_modes[last] IS NOT NULL THEN
        more_pins := more_pins - 1;
        more_blocks := more_blocks - old_blocks[last];
        more_bytes := more_bytes - old_bytes[last];
      END IF;
    END LOOP;
    IF outcome = ${operationResults.done} AND more_bytes > 0 AND quotas[operation] IS NOT NULL
      AND total.bytes + others[operation] + more_bytes > quotas[operation] THEN
      outcome := ${operationResults.quotaExceeded}; used := total.bytes + others[operation]; growth := more_bytes;
    END IF;
    IF outcome = ${operationResults.done} THEN
      total.pins := total.pins + more_pins;
      total.blocks := total.blocks + more_blocks;
      total.bytes := total.bytes + more_bytes;
      FOR at_place IN first .. last LOOP accepted[at_place] := true; END LOOP;
    END IF;
    known_blocks := new_blocks[first]; known_bytes := new_bytes[first];
    RETURN NEXT;
  END LOOP;

  WITH changed AS MATERIALIZED (
    SELECT w.*, kinds[w.operation] = ${operationKinds.remove} AS is_removed
    FROM unnest(accepted, operations, cids, modes, names, added, requested, created, new_blocks, new_bytes, old_modes)
      AS w (is_accepted, operation, cid, mode, name, added_as, is_requested, created_at, blocks, bytes, old_mode)
    WHERE w.is_accepted
  ), ended AS (
    INSERT INTO pin_releases SELECT of_account, old_mode, cid, changed_at FROM changed
    WHERE old_mode IS NOT NULL AND (is_removed OR old_mode <> mode)
    ON CONFLICT (account, mode, cid) DO UPDATE SET at = EXCLUDED.at
  ), begun AS (
    DELETE FROM pin_releases r USING changed c
    WHERE r.account = of_account AND r.cid = c.cid AND r.mode = c.mode AND NOT c.is_removed AND c.old_mode IS DISTINCT FROM c.mode
  ), removed AS (
    DELETE FROM pins p USING changed c WHERE p.account = of_account AND p.cid = c.cid AND c.is_removed
  ), listed AS (
    INSERT INTO pin_changes (at, account, mode, cid)
    SELECT changed_at, of_account, old_mode, cid FROM changed WHERE old_mode IS NOT NULL AND (is_removed OR old_mode <> mode)
    UNION ALL
    SELECT changed_at, of_account, mode, cid FROM changed WHERE NOT is_removed AND old_mode IS DISTINCT FROM mode
  )
  INSERT INTO pins AS p (account, cid, mode, name, added_as, is_requested, created_at, blocks, bytes)
  SELECT of_account, cid, mode, name, added_as, is_requested, created_at, blocks, bytes FROM changed WHERE NOT is_removed
  ON CONFLICT (account, cid) DO UPDATE SET
    mode = EXCLUDED.mode,
    name = CASE WHEN EXCLUDED.is_requested AND NOT p.is_requested THEN p.name ELSE EXCLUDED.name END,
    added_as = EXCLUDED.added_as,
    is_requested = EXCLUDED.is_requested AND p.is_requested,
    created_at = EXCLUDED.created_at,
    blocks = EXCLUDED.blocks,
    bytes = EXCLUDED.bytes;

  UPDATE pin_usage SET pins = total.pins, blocks = total.blocks, bytes = total.bytes
  WHERE account = of_account AND (pins, blocks, bytes) IS DISTINCT FROM (total.pins, total.blocks, total.bytes);

  IF random() < 0.01 THEN
    WITH old AS (
      SELECT id FROM pin_changes WHERE at < changed_at - ${changesKeptMs} ORDER BY id LIMIT 10000 FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM pin_changes c USING old WHERE c.id = old.id RETURNING c.transaction_id
    )
    INSERT INTO pin_control AS known
    SELECT '${prunedChanges}', max(transaction_id)::text FROM gone HAVING count(*) > 0
    ON CONFLICT (name) DO UPDATE SET value = greatest(known.value::xid8, EXCLUDED.value::xid8)::text;
  END IF;
END $$`;

export const pinSteps: readonly string[] = [tables, changePinsFunction];
