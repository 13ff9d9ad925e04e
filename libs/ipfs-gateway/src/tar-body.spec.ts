import { createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import { encodePbNode, encodeUnixfsData, importTree, profiles, readNode } from '@cairn/unixfs';
import { expect, test } from '@jest/globals';
import { tarOf } from './tar-body.ts';

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

/** Directory of one empty file with a name that no importer writes. */
async function directoryWith(name: string) {
  const blocks = createMemoryBlockstore();
  const leaf = { cid: cidFor(new Uint8Array(0), { codec: 'raw' }), bytes: new Uint8Array(0) };
  const data = encodeUnixfsData({ type: 'directory' });
  const bytes = encodePbNode({ data, links: [{ cid: leaf.cid, name, tsize: 0 }] });
  const cid = cidFor(bytes, { codec: 'dag-pb' });
  await blocks.putMany([leaf, { cid, bytes }]);
  return { blocks, cid };
}

async function tarText(blocks: Parameters<typeof tarOf>[0], cid: CID): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of tarOf(blocks, await readNode(blocks, cid), {})) parts.push(part);
  return Buffer.concat(parts).toString();
}

test('a name that leads out of the root ends the archive with a text', async () => {
  const { blocks, cid } = await directoryWith('../../file');
  const text = await tarText(blocks, cid);
  expect(text).toContain(cid.toString());
  expect(text).toMatch(/relative UnixFS paths outside the root are now allowed, use CAR instead$/);
});

test('a name that leads up within the root is joined', async () => {
  const { blocks, cid } = await directoryWith('a/../file');
  expect(await tarText(blocks, cid)).toContain(`${cid}/file`);
});

test('a missing block of a file rejects the archive and not the process', async () => {
  const blocks = createMemoryBlockstore();
  const profile = { ...profiles['unixfs-v1-2025'], chunker: 'size-4' };
  let root: CID | undefined;
  for await (const { cid, isRoot } of importTree(
    [{ path: 'file', content: bytesOf('one!two!three') }],
    blocks,
    profile,
  ))
    if (isRoot) root = cid;
  if (root === undefined) throw new Error('The import has no root.');
  const missing = cidFor(Buffer.from('two!'), { codec: 'raw' });
  const { get } = blocks;
  const partial: Parameters<typeof tarOf>[0] = {
    get: (cid, options) =>
      cid.equals(missing) ? Promise.reject(new Error('the block is missing')) : get.call(blocks, cid, options),
  };
  const uncaught: unknown[] = [];
  const listener = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', listener);
  try {
    await expect(tarText(partial, root)).rejects.toThrow('the block is missing');
    await new Promise((resolve) => setImmediate(resolve));
    expect(uncaught).toEqual([]);
  } finally {
    process.off('uncaughtException', listener);
  }
});
