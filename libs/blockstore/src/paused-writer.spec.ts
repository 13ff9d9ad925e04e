import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Environment } from '@cairn/embedded-store';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { blocksFormat } from './blocks-format.ts';
import { openLmdbBlockstore } from './index.ts';
import { rawBlock } from './testing/index.ts';

const hourMs = 3_600_000;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-paused-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('a stopped process of this machine keeps its holds, however long it is silent', async () => {
  const { cid } = rawBlock('written before the stop');
  const program = `
    import { openLmdbBlockstore } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
    import { rawBlock } from ${JSON.stringify(new URL('../dist/testing/raw-block.js', import.meta.url).href)};
    const store = await openLmdbBlockstore({ directory: ${JSON.stringify(directory)} });
    const hold = await store.hold();
    await store.putMany([rawBlock('written before the stop')]);
    await store.sync();
    process.stdout.write('durable');
    process.stdin.once('data', async () => process.stdout.write(await hold.confirm().then(() => 'held', String)));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [first] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(String(first)).toBe('durable');
    const store = await openLmdbBlockstore({ directory, now: () => Date.now() + 48 * hourMs });
    // The child has no transaction after this one, so that it is not stopped with the lock of the environment.
    await store.beginCycle();
    child.kill('SIGSTOP');
    const cycle = await store.beginCycle();
    expect((await store.sweep({ cycle, graceSeconds: 3600, limit: 10 })).removed).toEqual([]);
    expect(await store.has(cid)).toBe(true);
    const confirmed = once(child.stdout, 'data');
    child.kill('SIGCONT');
    child.stdin.write('?');
    expect(String(await confirmed)).toBe('held');
    await store.close();
  } finally {
    child.kill('SIGKILL');
  }
});

test('a hold whose record another process has removed is lost, also after later holds', async () => {
  const store = await openLmdbBlockstore({ directory });
  const hold = await store.hold();
  await expect(hold.confirm()).resolves.toBeUndefined();
  // A process in another container removes the record after a minute of silence.
  const environment = await Environment.open({ directory, format: blocksFormat });
  const records = environment.database('holds');
  await environment.transaction(() => {
    for (const { key } of [...records.range()]) records.remove(key);
  });
  await expect(hold.confirm()).rejects.toMatchObject({ code: 'HOLD_LOST' });
  const later = await store.hold();
  await expect(later.confirm()).resolves.toBeUndefined();
  await expect(hold.confirm()).rejects.toMatchObject({ code: 'HOLD_LOST' });
  await environment.close();
  await store.close();
});
