import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import type { PostgresServer } from '../../../tools/engines/index.mjs';
import { describeWithPostgres } from '../../../tools/engines/jest.mjs';
import { postgresError } from './errors.ts';
import { openPostgres, type Postgres } from './postgres.ts';

describeWithPostgres('a PostgreSQL server', (running) => {
  let server: PostgresServer;
  let database: Postgres;
  let errors: unknown[];

  beforeAll(() => {
    server = running();
  });
  beforeEach(async () => {
    errors = [];
    database = await openPostgres({
      url: server.url,
      statementMs: 2000,
      connectionsMax: 8,
      onError: (error) => errors.push(error),
    });
    await database.write({ text: 'DROP TABLE IF EXISTS counters, cairn_migrations, made' });
    await database.write({ text: 'CREATE TABLE counters (name text PRIMARY KEY, value bigint NOT NULL)' });
    await database.write({ text: "INSERT INTO counters VALUES ('one', 0), ('other', 0)" });
  });
  afterEach(() => database.close());

  const readValue = async (name: string) => {
    const { rows } = await database.read<{ value: number }>({
      name: 'value-of',
      text: 'SELECT value FROM counters WHERE name = $1',
      values: [name],
    });
    return rows[0]?.value;
  };
  const increment = (name: string) => ({
    text: 'UPDATE counters SET value = value + 1 WHERE name = $1',
    values: [name],
  });

  test('integers are numbers, and one beyond 2^53 is refused', async () => {
    expect(await readValue('one')).toBe(0);
    await database.write({ text: "UPDATE counters SET value = 9007199254740993 WHERE name = 'one'" });
    await expect(readValue('one')).rejects.toMatchObject({ code: 'POSTGRES_REFUSED' });
  });

  test('arrays of bytes reach unnest unchanged', async () => {
    const values = [Uint8Array.of(0, 255), new Uint8Array(0), Uint8Array.of(92, 34)];
    const { rows } = await database.read<{ each: Buffer }>({
      text: 'SELECT unnest($1::bytea[]) AS each',
      values: [values],
    });
    expect(rows.map(({ each }) => Uint8Array.from(each))).toEqual(values);
  });

  test('transactions that conflict are repeated until each has taken effect once', async () => {
    const add = () =>
      database.transaction(
        async (transaction) => {
          const { rows } = await transaction.run<{ value: number }>({
            text: "SELECT value FROM counters WHERE name = 'one'",
          });
          const value = (rows[0]?.value ?? 0) + 1;
          await transaction.run({ text: "UPDATE counters SET value = $1 WHERE name = 'one'", values: [value] });
        },
        { isSerializable: true },
      );
    await Promise.all(Array.from({ length: 4 }, add));
    expect(await readValue('one')).toBe(4);
  });

  test('a deadlock is resolved by a repeated transaction', async () => {
    let arrived = 0;
    let open: () => void = () => {};
    const both = new Promise<void>((resolve) => {
      open = resolve;
    });
    const move = (from: string, to: string) =>
      database.transaction(async (transaction) => {
        await transaction.run(increment(from));
        if (++arrived === 2) open();
        await both;
        await transaction.run(increment(to));
      });
    await Promise.all([move('one', 'other'), move('other', 'one')]);
    expect([await readValue('one'), await readValue('other')]).toEqual([2, 2]);
  });

  test('an error of the work rolls the transaction back and reaches the caller', async () => {
    const failing = database.transaction(async (transaction) => {
      await transaction.run(increment('one'));
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await readValue('one')).toBe(0);
  });

  test('a refused statement names its SQLSTATE and not its values', async () => {
    const failing = database.write({ text: 'INSERT INTO counters VALUES ($1, 1)', values: ['one'] });
    await expect(failing).rejects.toMatchObject({ code: 'POSTGRES_REFUSED', details: { sqlState: '23505' } });
  });

  test('a statement above the time limit is ended', async () => {
    const slow = database.read({ text: 'SELECT pg_sleep(60)' });
    await expect(slow).rejects.toMatchObject({ code: 'POSTGRES_BUSY' });
    expect(await readValue('one')).toBe(0);
  });

  test('a write that meets a standby is not done and ends its connection', async () => {
    await database.read({ text: "SELECT set_config('default_transaction_read_only', 'on', false)" });
    const write = () => database.write(increment('one'));
    await expect(write()).rejects.toMatchObject({
      code: 'POSTGRES_UNAVAILABLE',
      message: expect.stringContaining('read-only'),
      details: { sqlState: '25006' },
    });
    await write();
    await database.read({ text: "SELECT set_config('default_transaction_read_only', 'on', false)" });
    const transaction = () => database.transaction((running) => running.run(increment('one')));
    await expect(transaction()).rejects.toMatchObject({ code: 'POSTGRES_UNAVAILABLE' });
    await transaction();
    expect(await readValue('one')).toBe(2);
  });

  test('a refused connection names what to check, without the password', async () => {
    const url = new URL(server.url);
    url.pathname = '/absent';
    url.password = 'hidden';
    const error: unknown = await openPostgres({ url: url.href }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'POSTGRES_REFUSED',
      message: 'The database refused the connection (SQLSTATE 3D000).',
      hint: expect.stringContaining('name of the database'),
    });
    expect(JSON.stringify([error, String(error)])).not.toContain('hidden');
  });

  test('state counts statements, repeated attempts and failures by code', async () => {
    const before = database.state();
    await readValue('one');
    await expect(database.read({ text: 'SELECT nothing' })).rejects.toMatchObject({ code: 'POSTGRES_REFUSED' });
    const { statements, failures, connections, waiting } = database.state();
    expect(statements - before.statements).toBe(2);
    expect(failures).toEqual({ POSTGRES_REFUSED: 1 });
    expect([connections > 0, waiting]).toEqual([true, 0]);
  });

  test('a killed server is reported as unavailable, and used again after its restart', async () => {
    const running = database.transaction(async (transaction) => {
      await transaction.run(increment('one'));
      await server.kill();
      await transaction.run(increment('one'));
    });
    await expect(running).rejects.toMatchObject({ code: 'POSTGRES_UNAVAILABLE' });
    await expect(readValue('one')).rejects.toMatchObject({ code: 'POSTGRES_UNAVAILABLE' });
    await expect(database.write(increment('one'))).rejects.toMatchObject({ code: 'POSTGRES_UNAVAILABLE' });
    await server.start();
    expect(await readValue('one')).toBe(0);
  });

  test('a write on a connection that ended while idle does not report success', async () => {
    await Promise.all(Array.from({ length: 4 }, () => readValue('one')));
    await server.kill();
    await server.start();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => database.write(increment('one'))));
    const written = results.filter(({ status }) => status === 'fulfilled').length;
    expect(await readValue('one')).toBeGreaterThanOrEqual(written);
  });

  test('a paused server ends a statement at the limit of the client', async () => {
    await readValue('one');
    server.pause();
    const asked = readValue('one');
    try {
      await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/^POSTGRES_(BUSY|UNAVAILABLE)$/) });
    } finally {
      server.resume();
    }
    expect(await readValue('one')).toBe(0);
  });

  test('a write or a commit that a paused server does not confirm has an unknown outcome', async () => {
    let [begun, paused] = [() => {}, () => {}];
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const isPaused = new Promise<void>((resolve) => {
      paused = resolve;
    });
    const committed = database.transaction(async (transaction) => {
      await transaction.run(increment('other'));
      begun();
      await isPaused;
    });
    await hasBegun;
    // Leaves an idle connection for the write.
    await readValue('one');
    server.pause();
    const written = database.write(increment('one'));
    paused();
    try {
      const outcomes = await Promise.allSettled([written, committed]);
      expect(outcomes).toEqual(
        outcomes.map(() => ({
          status: 'rejected',
          reason: expect.objectContaining({ code: 'POSTGRES_OUTCOME_UNKNOWN' }),
        })),
      );
    } finally {
      server.resume();
    }
    expect([0, 1]).toContain(await readValue('one'));
  });

  test('concurrent programs apply each migration once', async () => {
    const migrations = {
      component: 'made',
      steps: ['CREATE TABLE made (a integer)', 'ALTER TABLE made ADD b integer'],
    };
    await Promise.all(Array.from({ length: 4 }, () => database.migrate(migrations)));
    await database.migrate({ ...migrations, steps: [...migrations.steps, 'ALTER TABLE made ADD c integer'] });
    const { rows } = await database.read<{ version: number }>({
      text: 'SELECT version FROM cairn_migrations ORDER BY 1',
    });
    expect(rows).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }]);
    await expect(database.migrate(migrations)).rejects.toMatchObject({ code: 'POSTGRES_SCHEMA_NEWER' });
    const changed = { component: 'made', steps: ['CREATE TABLE made (z integer)', ...migrations.steps] };
    await expect(database.migrate(changed)).rejects.toMatchObject({ code: 'POSTGRES_SCHEMA_CHANGED' });
  });

  test('a failed migration leaves no part of it', async () => {
    const failing = { component: 'made', steps: ['CREATE TABLE made (a integer); SELECT 1/0'] };
    await expect(database.migrate(failing)).rejects.toMatchObject({ code: 'POSTGRES_REFUSED' });
    const { rows } = await database.read({ text: "SELECT to_regclass('made') AS found" });
    expect(rows).toEqual([{ found: null }]);
  });

  test('close ends listeners, also those that connect or start meanwhile', async () => {
    const closing = await openPostgres({ url: server.url, applicationName: 'closing' });
    const options = { channel: 'changes', onNotice: () => {}, onConnected: () => {} };
    const listening = [closing.listen(options), closing.listen(options)];
    const closed = closing.close();
    listening.push(closing.listen(options));
    await Promise.all([closed, ...listening]);
    const text = "SELECT count(*)::integer AS open FROM pg_stat_activity WHERE application_name = 'closing'";
    // The server shows a closed connection for a moment.
    let open: number | undefined;
    for (let tries = 0; open !== 0 && tries < 200; tries++) {
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      open = (await database.read<{ open: number }>({ text })).rows[0]?.open;
    }
    expect(open).toBe(0);
  });

  test('notices arrive, and a listener listens again after a restart of the server', async () => {
    const seen: string[] = [];
    let connections = 0;
    let onChange: () => void = () => {};
    const until = async (isReached: () => boolean) => {
      while (!isReached())
        await new Promise<void>((resolve) => {
          onChange = resolve;
        });
    };
    const stop = await database.listen({
      channel: 'changes',
      onNotice: (payload) => {
        seen.push(payload);
        onChange();
      },
      onConnected: () => {
        connections++;
        onChange();
      },
    });
    await until(() => connections === 1);
    await database.write({ text: "SELECT pg_notify('changes', 'first')" });
    await until(() => seen.length === 1);
    await server.kill();
    await server.start();
    await until(() => connections === 2);
    await database.read({ text: 'SELECT 1' });
    await database.write({ text: "SELECT pg_notify('changes', 'second')" });
    await until(() => seen.length === 2);
    expect(seen).toEqual(['first', 'second']);
    await stop();
  });
});

test('a URL that does not parse is refused without a repetition of its password', async () => {
  for (const url of ['http://user:canary@host', 'postgres://user:canary@[host']) {
    const opening = openPostgres({ url });
    await expect(opening).rejects.toMatchObject({ code: 'POSTGRES_URL_INVALID' });
    await expect(opening).rejects.not.toThrow(/canary/);
  }
});

test('a server that is away is reported within the time to connect', async () => {
  const opening = openPostgres({ url: 'postgres://user:canary@127.0.0.1:1/none' });
  await expect(opening).rejects.toMatchObject({ code: 'POSTGRES_UNAVAILABLE', details: { sqlState: 'ECONNREFUSED' } });
  await expect(opening).rejects.not.toThrow(/canary/);
});

test('a server that accepts connections and does not answer counts as away', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'a', connectionTimeoutMillis: 20 });
  const error = await client.connect().catch((reason: unknown) => reason);
  expect(postgresError(error)).toMatchObject({ code: 'POSTGRES_UNAVAILABLE' });
  silent.close();
});
