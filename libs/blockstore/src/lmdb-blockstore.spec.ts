import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRememberingVerifier } from '@cairn/cid';
import { afterAll, expect, test } from '@jest/globals';
import { BufferPool, openLmdbBlockstore, withVerification } from './index.ts';
import { decodeRecord, encodeRecord } from './index-record.ts';
import { describeBlockstore, describeCollectable, rawBlock } from './testing/index.ts';

const directories: string[] = [];
function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-blocks-'));
  directories.push(directory);
  return directory;
}
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

describeBlockstore('the LMDB store', () => openLmdbBlockstore({ directory: temporaryDirectory() }));
describeBlockstore('the LMDB store with a tiny write buffer', () =>
  openLmdbBlockstore({ directory: temporaryDirectory(), pendingBytesMax: 1 }),
);

describeCollectable('the LMDB store', (now) => openLmdbBlockstore({ directory: temporaryDirectory(), now }));

test('a reopened store returns its blocks', async () => {
  const directory = temporaryDirectory();
  const first = await openLmdbBlockstore({ directory });
  await first.putMany([rawBlock('stored')]);
  await first.sync();
  await first.close();
  const again = await openLmdbBlockstore({ directory });
  expect(Buffer.from(await again.get(rawBlock('stored').cid)).toString()).toBe('stored');
  await again.close();
});

test('long blocks are read into lent buffers, short and pending ones are not', async () => {
  const store = await openLmdbBlockstore({ directory: temporaryDirectory() });
  const buffers = new BufferPool({ bytesMax: 8 * 1024 * 1024 });
  const verified = withVerification(store);
  const lengths = [10, 131_072, 200_000, 1_048_576, 2_097_152];
  const blocks = lengths.map((length, index) => rawBlock(String(index).repeat(length)));
  await store.putMany(blocks);
  await store.sync();
  const memory = new Set<ArrayBufferLike>();
  for (let round = 0; round < 3; round++)
    for (const { cid, bytes } of blocks) {
      const read = await verified.get(cid, { buffers });
      expect(Buffer.from(read).equals(bytes)).toBe(true);
      expect(buffers.isLent(read)).toBe(bytes.length > 10);
      if (bytes.length > 10) memory.add(read.buffer);
      buffers.giveBack(read);
    }
  expect(memory.size).toBe(4);
  const pending = rawBlock('p'.repeat(1_000_000));
  await store.putMany([pending]);
  const read = await store.get(pending.cid, { buffers });
  expect(Buffer.from(read).equals(pending.bytes)).toBe(true);
  await store.close();
});

test('getMany and sizeMany return pending and stored blocks, and undefined for absent and quarantined ones', async () => {
  const store = await openLmdbBlockstore({ directory: temporaryDirectory() });
  const [stored, pending, absent, corrupt] = ['stored', 'pending block', 'absent', 'corrupt'].map(rawBlock);
  if (!stored || !pending || !absent || !corrupt) throw new Error('no blocks');
  await store.putMany([stored, corrupt]);
  await store.sync();
  await store.quarantine(corrupt.cid);
  await store.putMany([pending]);
  const cids = [absent, pending, corrupt, stored].map(({ cid }) => cid);
  expect(await store.sizeMany(cids)).toEqual([undefined, 13, undefined, 6]);
  const texts = (await store.getMany(cids)).map((bytes) => bytes && Buffer.from(bytes).toString());
  expect(texts).toEqual([undefined, 'pending block', undefined, 'stored']);
  await store.close();
});

test('withVerification refuses a block with a changed byte on the disk', async () => {
  const directory = temporaryDirectory();
  const content = `${'planted fault '.repeat(1000)}`;
  const first = await openLmdbBlockstore({ directory });
  await first.putMany([rawBlock(content)]);
  await first.close();
  const file = join(directory, 'data.mdb');
  const data = readFileSync(file);
  data.writeUInt8(0x21, data.indexOf('planted fault ') + 20);
  writeFileSync(file, data);
  const again = await openLmdbBlockstore({ directory });
  await expect(withVerification(again).get(rawBlock(content).cid)).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
  await again.close();
});

test('withVerification refuses a remembered block whose byte changes on the disk while the store is open', async () => {
  const directory = temporaryDirectory();
  const block = rawBlock('planted fault '.repeat(10_000));
  const store = await openLmdbBlockstore({ directory });
  await store.putMany([block]);
  await store.sync();
  const verified = withVerification(store, { quarantine: store, verify: createRememberingVerifier() });
  for (let round = 0; round < 3; round++)
    expect(Buffer.from(await verified.get(block.cid)).equals(block.bytes)).toBe(true);
  const path = join(directory, 'data.mdb');
  const at = readFileSync(path).indexOf('planted fault ') + 100_000;
  const file = openSync(path, 'r+');
  writeSync(file, '!', at);
  closeSync(file);
  await expect(verified.get(block.cid)).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
  expect(await store.has(block.cid)).toBe(false);
  await store.close();
});

const store = new URL('../dist/index.js', import.meta.url).href;
const testing = new URL('../dist/testing/raw-block.js', import.meta.url).href;

/** Runs a script in another process, on the built package. */
function run(directory: string, script: string, onLine: (line: string, child: ChildProcess) => void, wrap = '') {
  const preamble = `
    const { openLmdbBlockstore } = await import(${JSON.stringify(store)});
    const { rawBlock } = await import(${JSON.stringify(testing)});
    const store = await openLmdbBlockstore({ directory: ${JSON.stringify(directory)} });
    const say = (text) => process.stdout.write(text + '\\n');`;
  const child = spawn(
    'sh',
    ['-c', `${wrap} exec "$@"`, 'sh', process.execPath, '--input-type=module', '-e', preamble + script],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line, child);
  });
  return new Promise<number | null>((resolve) => child.once('close', resolve));
}

test('blocks of a resolved sync survive kill -9', async () => {
  const directory = temporaryDirectory();
  const syncsPerRound = 50;
  let acknowledged = -1;
  for (let round = 0; round < 3; round++) {
    await run(
      directory,
      `for (let n = 0; ; n++) {
         await store.putMany([rawBlock('block ' + n)]);
         await store.sync();
         say(String(n));
       }`,
      (line, child) => {
        acknowledged = Math.max(acknowledged, Number(line));
        if (acknowledged > syncsPerRound * (round + 1)) child.kill('SIGKILL');
      },
    );
  }
  const after = await openLmdbBlockstore({ directory });
  for (let n = 0; n <= acknowledged; n++) expect(await after.has(rawBlock(`block ${n}`).cid)).toBe(true);
  await after.close();
  expect(acknowledged).toBeGreaterThan(3 * syncsPerRound);
});

test('on a full disk every sync fails, and succeeds once there is room', async () => {
  const directory = temporaryDirectory();
  const said: string[] = [];
  const code = await run(
    directory,
    `const block = (n) => rawBlock(String(n).padEnd(200_000, '.'));
     const outcome = () => store.sync().then(() => 'durable', (error) => error.code);
     let durable = 0;
     for (let n = 0; n < 1_000; n++) {
       await store.putMany([block(n)]);
       if ((await outcome()) !== 'durable') break;
       durable++;
     }
     const refused = await store.putMany([rawBlock('later')]).then(() => 'taken', (error) => error.code);
     const again = [await outcome(), ...(await Promise.all([outcome(), outcome()]))];
     for (let n = 0; n < 3; n++) await store.delete(block(n).cid);
     say(JSON.stringify({ durable, refused, again, freed: await outcome(), stats: await store.stats() }));
     await store.close();`,
    (line) => said.push(line),
    // The shell limits files to 4 MiB (8,192 blocks of 512 bytes) and ignores the signal that would end the process.
    'trap "" XFSZ; ulimit -f 8192;',
  );
  expect(code).toBe(0);
  const { durable, refused, again, freed, stats } = JSON.parse(said[0] ?? '{}');
  const fails = expect.stringMatching(/^STORE_(FULL|WRITE_FAILED)$/);
  expect({ refused, again }).toEqual({ refused: fails, again: [fails, fails, fails] });
  // Deleting three blocks made room, so the block of the failed write became durable.
  expect({ freed, stats }).toEqual({
    freed: 'durable',
    stats: { blocks: durable - 2, bytes: (durable - 2) * 200_000 },
  });
  const after = await openLmdbBlockstore({ directory });
  for (let n = 3; n <= durable; n++) {
    const { cid } = rawBlock(String(n).padEnd(200_000, '.'));
    expect((await withVerification(after).get(cid)).length).toBe(200_000);
  }
  await after.close();
});

test('putMany waits while pendingBytesMax is exceeded', async () => {
  const store = await openLmdbBlockstore({ directory: temporaryDirectory(), pendingBytesMax: 100_000 });
  const block = (n: number) => rawBlock(String(n).padEnd(60_000, '.'));
  await store.putMany([block(0)]);
  await store.putMany([block(1)]);
  let taken = false;
  const third = store.putMany([block(2)]).then(() => {
    taken = true;
  });
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  expect(taken).toBe(false);
  await third;
  await store.sync();
  expect((await store.stats()).blocks).toBe(3);
  await store.close();
});

test('putMany refuses blocks beyond bytesMax and diskReserveBytes, and accepts them once there is room', async () => {
  const store = await openLmdbBlockstore({ directory: temporaryDirectory(), bytesMax: 10 });
  await store.putMany([rawBlock('12345678')]);
  await expect(store.putMany([rawBlock('abc')])).rejects.toMatchObject({
    code: 'STORE_FULL',
    details: { stored: 8, added: 3, bytesMax: 10 },
  });
  expect(store.fullness()).toEqual({ bytes: 8, bytesMax: 10 });
  // A stored block needs no room, even while it waits to be written again.
  for (let time = 0; time < 3; time++) await store.putMany([rawBlock('12345678'), rawBlock('x')]);
  await store.delete(rawBlock('x').cid);
  await store.delete(rawBlock('12345678').cid);
  await store.putMany([rawBlock('abc')]);
  await store.close();
  const reserved = await openLmdbBlockstore({ directory: temporaryDirectory(), diskReserveBytes: 2 ** 60 });
  await expect(reserved.putMany([rawBlock('a')])).rejects.toMatchObject({ code: 'STORE_FULL' });
  await reserved.close();
});

test('holds of another process count until it ends', async () => {
  const directory = temporaryDirectory();
  const store = await openLmdbBlockstore({ directory });
  const { cid } = rawBlock('protected elsewhere');
  let cycle = 0;
  let whileHeld: Promise<number> | undefined;
  await run(
    directory,
    `await store.hold();
     await store.putMany([rawBlock('protected elsewhere')]);
     await store.sync();
     say('durable');
     setInterval(() => {}, 1000);`,
    (_line, child) => {
      whileHeld = (async () => {
        cycle = await store.beginCycle();
        const { removed } = await store.sweep({ cycle, graceSeconds: 0, limit: 10 });
        child.kill('SIGKILL');
        return removed.length;
      })();
    },
  );
  expect(await whileHeld).toBe(0);
  expect(await store.has(cid)).toBe(true);
  const { removed } = await store.sweep({ cycle: await store.beginCycle(), graceSeconds: 0, limit: 10 });
  expect(removed.length).toBe(1);
  await store.close();
});

test('decodeRecord reads records of version 0.1, which had no collection', () => {
  const old = Buffer.alloc(12);
  old.writeBigUInt64BE(7n);
  old.writeUInt32BE(99, 8);
  const record = decodeRecord(old);
  expect({ ...record, id: Buffer.from(record.id).toString('hex') }).toEqual({
    id: '0000000000000007',
    length: 99,
    touchedAt: 0,
    touchedIn: 0,
    mark: 0,
    markedAs: 0,
    owner: 0,
    isQuarantined: false,
    isClaimed: false,
    isPbLeaf: false,
  });
  expect(decodeRecord(encodeRecord(record))).toEqual(record);
});
