import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import type { UpstreamAnswer } from '../upstream.ts';
import { readEntries } from './folder-entries.ts';

/** Answer of `ls` that streams this many lines and counts the lines read. */
function lsOf(lines: number, type: (index: number) => number) {
  let read = 0;
  const body = Readable.from(
    (function* () {
      for (; read < lines; read++) {
        const link = { Name: `n${String(read).padStart(6, '0')}`, Hash: 'QmX', Size: read, Type: type(read) };
        yield `${JSON.stringify({ Objects: [{ Links: [link] }] })}\n`;
      }
    })(),
  );
  return { answer: { body } as unknown as UpstreamAnswer, count: () => read };
}

test('folderEntries returns folders first, then files, each sorted by name', async () => {
  const { answer } = lsOf(4, (index) => (index % 2 === 0 ? 2 : 1));
  expect(await readEntries(answer)).toEqual({
    isCut: false,
    entries: [
      { name: 'n000001', cid: 'QmX', bytes: 1, kind: 'folder' },
      { name: 'n000003', cid: 'QmX', bytes: 3, kind: 'folder' },
      { name: 'n000000', cid: 'QmX', bytes: 0, kind: 'file' },
      { name: 'n000002', cid: 'QmX', bytes: 2, kind: 'file' },
    ],
  });
});

test('folderEntries stops reading at the length of a page in a folder of a million entries', async () => {
  const { answer, count } = lsOf(1_000_000, () => 2);
  const { entries, isCut } = await readEntries(answer);
  expect(entries).toHaveLength(1000);
  expect(isCut).toBe(true);
  expect(count()).toBeLessThan(5000);
});
