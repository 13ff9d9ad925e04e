import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCid } from '@cairn/cid';
import { openS3ObjectStore } from '@cairn/object-store/s3';
import { expect, test } from '@jest/globals';
import type { S3Server } from '../../../../tools/engines/index.mjs';
import { describeWithS3 } from '../../../../tools/engines/jest.mjs';
import { readPackEntries } from '../pack/read-pack-entries.ts';
import { createPackReader } from '../read/pack-reader.ts';
import type { BlockLocation } from '../types.ts';

const rounds = 12;
const program = fileURLToPath(new URL('./crash.fixture.mjs', import.meta.url));

/** Runs a writer and kills it after a number of messages. Even rounds kill it between PUT and index. */
async function killWriter(options: { server: S3Server; url: string; indexFile: string; round: number }) {
  const { server, url, indexFile, round } = options;
  const { accessKeyId, secretAccessKey } = server;
  const child = fork(program, { execArgv: [] });
  child.send({ credentials: { accessKeyId, secretAccessKey }, url, indexFile, round });
  const acknowledged: string[] = [];
  const uploaded: string[] = [];
  child.on('message', (message: { acknowledged?: string; uploaded?: string }) => {
    if (message.acknowledged !== undefined) acknowledged.push(message.acknowledged);
    if (message.uploaded !== undefined) uploaded.push(message.uploaded);
    const isLate = acknowledged.length >= 10 + round * 3;
    if (isLate && (message.uploaded !== undefined || round % 2 === 1)) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.once('exit', resolve));
  return { acknowledged, uploaded };
}

describeWithS3('a writer that is killed', (server) => {
  test('loses no acknowledged block, and leaves whole packs only', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'pack-crash-'));
    const url = server().createStore();
    const indexFile = join(directory, 'index');
    const acknowledged: string[] = [];
    const uploaded: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const seen = await killWriter({ server: server(), url, indexFile, round });
      expect(seen.acknowledged.length).toBeGreaterThan(0);
      acknowledged.push(...seen.acknowledged);
      uploaded.push(...seen.uploaded);
    }
    const objects = await openS3ObjectStore({ url, credentials: server(), probe: false });
    const index = new Map<string, BlockLocation>();
    for (const line of readFileSync(indexFile, 'utf8').split('\n').filter(Boolean)) {
      const [text, pack, offset, length] = JSON.parse(line);
      index.set(text, { cid: parseCid(text), pack, offset, length });
    }
    for (const cid of acknowledged) expect(index.has(cid)).toBe(true);
    const reader = createPackReader({ objects });
    const locations = [...index.values()];
    expect(await reader.getMany(locations)).toHaveLength(locations.length);
    // A pack that the index lacks is whole, so that it can be indexed or deleted.
    const indexed = new Set(locations.map(({ pack }) => pack));
    let orphans = 0;
    for await (const pack of objects.list('packs/')) {
      expect((await readPackEntries(objects, pack)).length).toBeGreaterThan(0);
      if (!indexed.has(pack.key)) orphans++;
    }
    expect(orphans).toBeGreaterThan(0);
    expect(orphans).toBeLessThanOrEqual(rounds * 4);
    expect(uploaded.length).toBeGreaterThanOrEqual(orphans);
    await objects.close();
    rmSync(directory, { recursive: true });
  });
});
