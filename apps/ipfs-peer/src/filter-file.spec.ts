import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openFilterFile } from './filter-file.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-filters-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('filters are read back by another process, and no other file stays', async () => {
  const path = join(directory, 'filters.json');
  expect(await openFilterFile(path).load()).toEqual([]);
  await openFilterFile(path).save(['/ip4/10.0.0.0/ipcidr/8']);
  await openFilterFile(path).save(['/ip4/11.0.0.0/ipcidr/8']);
  expect(await openFilterFile(path).load()).toEqual(['/ip4/11.0.0.0/ipcidr/8']);
  expect(readdirSync(directory)).toEqual(['filters.json']);
});

test.each(['', '{}', '[1]', '[', 'null'])('a file with the content %j is refused with its path', async (content) => {
  const path = join(directory, 'filters.json');
  writeFileSync(path, content);
  await expect(openFilterFile(path).load()).rejects.toThrow(`${path} is not a list of address filters`);
});
