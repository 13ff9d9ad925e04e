import { CID, cidFor } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Blockstore } from '../blockstore.ts';
import { limits } from '../limits.ts';
import { rawBlock } from './raw-block.ts';

/** Contract suite of a {@link Blockstore}. The spec of an adapter is one call. */
export function describeBlockstore(name: string, create: () => Promise<Blockstore> | Blockstore): void {
  describe(`${name} as a Blockstore`, () => {
    let store: Blockstore;
    beforeEach(async () => {
      store = await create();
    });
    afterEach(() => store.close());

    test('get returns accepted blocks before and after sync', async () => {
      const blocks = ['a', 'b', ''].map(rawBlock);
      await store.putMany(blocks);
      for (const { cid, bytes } of blocks) expect(Buffer.from(await store.get(cid))).toEqual(Buffer.from(bytes));
      await store.sync();
      for (const { cid, bytes } of blocks) {
        expect(Buffer.from(await store.get(cid))).toEqual(Buffer.from(bytes));
        expect(await store.has(cid)).toBe(true);
        expect(await store.size(cid)).toBe(bytes.length);
      }
    });

    test('get and size of an unknown block throw an error that names it', async () => {
      const { cid } = rawBlock('nowhere');
      await expect(store.get(cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND', details: { cid: cid.toString() } });
      await expect(store.size(cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
      expect(await store.has(cid)).toBe(false);
      await store.delete(cid);
    });

    test('CIDs of version 0 and 1 with one multihash name one block', async () => {
      const bytes = new TextEncoder().encode('same');
      const version0 = cidFor(bytes, { codec: 'dag-pb', version: 0 });
      const version1 = cidFor(bytes, { codec: 'raw' });
      await store.putMany([{ cid: version0, bytes }]);
      expect(Buffer.from(await store.get(version1))).toEqual(Buffer.from(bytes));
      await store.putMany([{ cid: version1, bytes }]);
      await store.sync();
      expect(await store.stats()).toEqual({ blocks: 1, bytes: 4 });
    });

    test('delete removes a block and updates stats', async () => {
      const blocks = ['one', 'three'].map(rawBlock);
      await store.putMany(blocks);
      await store.sync();
      expect(await store.stats()).toEqual({ blocks: 2, bytes: 8 });
      const [first, second] = blocks as [(typeof blocks)[0], (typeof blocks)[0]];
      await store.delete(first.cid);
      await store.delete(first.cid);
      expect(await store.has(first.cid)).toBe(false);
      expect(await store.has(second.cid)).toBe(true);
      expect(await store.stats()).toEqual({ blocks: 1, bytes: 5 });
    });

    test('putMany refuses a block over the limit and stores no block of the batch', async () => {
      const large = rawBlock(new Uint8Array(limits.blockBytesMax + 1));
      const small = rawBlock('small');
      await expect(store.putMany([small, large])).rejects.toMatchObject({ code: 'BLOCK_TOO_LARGE' });
      await store.sync();
      expect(await store.stats()).toEqual({ blocks: 0, bytes: 0 });
    });

    test('get with an aborted signal throws its reason', async () => {
      const block = rawBlock('a');
      await store.putMany([block]);
      const reason = new Error('client went away');
      await expect(store.get(block.cid, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });

    test('keys lists raw CIDs of version 1 in order, across pages', async () => {
      const blocks = Array.from({ length: 600 }, (_, index) => rawBlock(`block ${index}`));
      await store.putMany(blocks);
      await store.sync();
      const keys: CID[] = [];
      for await (const cid of store.keys()) keys.push(cid);
      const hex = (cid: CID) => Buffer.from(cid.multihash.bytes).toString('hex');
      expect(keys.map(hex)).toEqual(blocks.map(({ cid }) => hex(cid)).sort());
      expect(keys.every((cid) => cid.version === 1 && cid.code === 0x55)).toBe(true);
    });

    test('keys and stats include accepted blocks before sync', async () => {
      await store.putMany([rawBlock('counted')]);
      const keys: CID[] = [];
      for await (const cid of store.keys()) keys.push(cid);
      expect(keys.map(String)).toEqual([rawBlock('counted').cid.toString()]);
      expect(await store.stats()).toEqual({ blocks: 1, bytes: 7 });
    });

    test('stats count each block once under concurrent writers', async () => {
      const writers = Array.from({ length: 16 }, async (_, writer) => {
        for (let n = 0; n < 8; n++) {
          await store.putMany([rawBlock(`shared ${n}`), rawBlock(`own ${writer} ${n}`)]);
          await store.sync();
          expect(await store.has(rawBlock(`shared ${n}`).cid)).toBe(true);
        }
      });
      await Promise.all(writers);
      const shared = 8 * 'shared n'.length;
      const own = Array.from({ length: 16 }, (_, writer) => 8 * `own ${writer} n`.length).reduce((a, b) => a + b);
      expect(await store.stats()).toEqual({ blocks: 8 + 16 * 8, bytes: shared + own });
    });

    test('behaves as a map under random commands', async () => {
      const contents = fc.integer({ min: 0, max: 12 }).map((n) => rawBlock('x'.repeat(n)));
      const command = fc.oneof(
        fc.array(contents, { maxLength: 5 }).map((blocks) => ({ kind: 'put' as const, blocks })),
        contents.map((block) => ({ kind: 'delete' as const, block })),
        fc.constant({ kind: 'sync' as const }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 12 }), async (commands) => {
          const model = new Map<string, number>();
          for (let n = 0; n <= 12; n++) await store.delete(rawBlock('x'.repeat(n)).cid);
          for (const step of commands) {
            if (step.kind === 'sync') await store.sync();
            else if (step.kind === 'delete') {
              await store.delete(step.block.cid);
              model.delete(step.block.cid.toString());
            } else {
              await store.putMany(step.blocks);
              for (const { cid, bytes } of step.blocks) model.set(cid.toString(), bytes.length);
            }
          }
          const bytes = [...model.values()].reduce((sum, length) => sum + length, 0);
          expect(await store.stats()).toEqual({ blocks: model.size, bytes });
          for (let n = 0; n <= 12; n++) {
            const { cid } = rawBlock('x'.repeat(n));
            expect(await store.has(cid)).toBe(model.has(cid.toString()));
          }
        }),
        { numRuns: 25 },
      );
    });
  });
}
