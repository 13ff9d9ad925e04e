import { createMemoryBlockstore } from '@cairn/blockstore';
import type { ByteSource } from '@cairn/platform';
import { expect, test } from '@jest/globals';
import { receiveContent } from './index.ts';

const naming = { cidVersion: 0, hash: 'sha2-256' } as const;
const bytes = new TextEncoder().encode('hello');

test.each<[string, () => ByteSource]>([
  ['a Uint8Array', () => bytes],
  ['a Blob', () => new Blob(['hello'])],
  ['a list of chunks', () => [bytes]],
])('receiveContent accepts %s', async (_, source) => {
  const content = await receiveContent(source(), createMemoryBlockstore(), naming);
  expect('bytes' in content && Buffer.from(content.bytes).toString()).toBe('hello');
});

test('receiveContent refuses text', async () => {
  await expect(receiveContent('hello' as unknown as ByteSource, createMemoryBlockstore(), naming)).rejects.toThrow(
    expect.objectContaining({ code: 'BYTES_INVALID', message: expect.stringContaining('source: expected') }),
  );
});
