import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openLmdbBlockstore, withVerification } from './index.ts';
import { describeBlockstore, rawBlock } from './testing/index.ts';

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

test('keeps blocks across closing', async () => {
  const directory = temporaryDirectory();
  const first = await openLmdbBlockstore({ directory });
  await first.putMany([rawBlock('kept')]);
  await first.sync();
  await first.close();
  const again = await openLmdbBlockstore({ directory });
  expect(Buffer.from(await again.get(rawBlock('kept').cid)).toString()).toBe('kept');
  await again.close();
});

test('a byte that rots on the disk is seen when the block is read', async () => {
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

test('what sync resolved for survives kill -9', async () => {
  const directory = temporaryDirectory();
  const store = new URL('../dist/index.js', import.meta.url).href;
  const testing = new URL('../dist/testing/raw-block.js', import.meta.url).href;
  const script = `
    const { openLmdbBlockstore } = await import(${JSON.stringify(store)});
    const { rawBlock } = await import(${JSON.stringify(testing)});
    const store = await openLmdbBlockstore({ directory: ${JSON.stringify(directory)} });
    for (let n = 0; ; n++) {
      await store.putMany([rawBlock('block ' + n)]);
      await store.sync();
      process.stdout.write(n + '\\n');
    }`;
  let acknowledged = -1;
  for (let round = 0; round < 3; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        acknowledged = Math.max(acknowledged, ...text.split('\n').filter(Boolean).map(Number));
        if (acknowledged > 100 * (round + 1)) child.kill('SIGKILL');
      });
      child.once('close', () => resolve());
    });
  }
  const after = await openLmdbBlockstore({ directory });
  for (let n = 0; n <= acknowledged; n++) expect(await after.has(rawBlock(`block ${n}`).cid)).toBe(true);
  await after.close();
  expect(acknowledged).toBeGreaterThan(300);
});
