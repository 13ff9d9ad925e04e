import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { keccak256 } from '@cairn/cid';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { LmdbContentCache, LmdbContentReader } from './index.ts';

const writer = fileURLToPath(new URL('./write-content.fixture.mjs', import.meta.url));
const contentOf = (number: number) => Buffer.from(`content ${number} `.repeat(20));

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'content-crash-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Runs the writer until it has flushed that many times, and kills it in the middle of a write. Returns the last reported number. */
async function writeAndKill(flushes: number): Promise<number> {
  const child = spawn(process.execPath, [writer, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let number = 0;
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    number = Number(line);
    if (++count === flushes) child.kill('SIGKILL');
  }
  await ended;
  return number;
}

test('a cache whose writer was killed has all flushed content, and is writable', async () => {
  for (const flushes of [1, 7, 20]) {
    const flushed = await writeAndKill(flushes);
    const cache = await LmdbContentCache.open({ directory, bytesMax: 64 * 1024 * 1024 });
    const reader = await LmdbContentReader.open({ directory });
    for (let number = 0; number < flushed; number++) {
      const content = contentOf(number);
      expect(Buffer.compare(reader.get(keccak256(content)) ?? Buffer.alloc(0), content)).toBe(0);
      expect(reader.find(keccak256(Buffer.from(`name ${number}`)))?.length).toBe(content.length);
    }
    const added = Buffer.from(`after ${flushes} flushes`);
    cache.put(keccak256(added), added);
    await cache.flush();
    reader.refresh();
    expect(reader.get(keccak256(added))?.length).toBe(added.length);
    await reader.close();
    await cache.close();
  }
});
