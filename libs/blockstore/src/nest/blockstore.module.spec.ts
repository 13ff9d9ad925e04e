import 'reflect-metadata';
import { expect, test } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type Blockstore, createMemoryBlockstore, withCache } from '../index.ts';
import { rawBlock } from '../testing/index.ts';
import { BLOCKSTORE, BlockstoreModule, COLLECTABLE } from './index.ts';

@Injectable()
class Reader {
  constructor(@Inject(BLOCKSTORE) readonly store: Blockstore) {}
}

test('BlockstoreModule provides one store to the whole application and closes it at shutdown', async () => {
  let closed = 0;
  const opened = createMemoryBlockstore();
  const close = opened.close.bind(opened);
  opened.close = async () => {
    closed++;
    await close();
  };
  const testing = await Test.createTestingModule({
    imports: [
      BlockstoreModule.forRootAsync({
        useFactory: async () => opened,
        wrap: (store) => withCache(store, { bytesMax: 1000, removals: store }),
      }),
    ],
    providers: [Reader],
  }).compile();
  const { store } = testing.get(Reader);
  expect(testing.get(COLLECTABLE)).toBe(opened);
  expect(store).not.toBe(opened);
  await store.putMany([rawBlock('nest')]);
  expect(await opened.has(rawBlock('nest').cid)).toBe(true);
  expect(closed).toBe(0);
  await testing.close();
  expect(closed).toBe(1);
});
