import { createMemoryBlockstore } from '@cairn/blockstore/core';
import { cidFor } from '@cairn/cid';
import { expect, test } from '@jest/globals';
import { storingExchange } from './storing-exchange.ts';
import { createMemoryExchange, describeBlockExchange } from './testing/index.ts';

describeBlockExchange('storingExchange', async () => {
  const inner = createMemoryExchange();
  return {
    exchange: storingExchange(inner, createMemoryBlockstore()),
    startNode: async () => inner.addNode(),
    startWrongNode: async () => inner.addWrongNode(),
    stop: async () => {},
  };
});

test('a fetch resolves after its block is stored and durable', async () => {
  const store = createMemoryBlockstore();
  const inner = createMemoryExchange();
  let syncs = 0;
  const exchange = storingExchange(inner, {
    putMany: (blocks) => store.putMany(blocks),
    sync: async () => {
      syncs++;
      await store.sync();
    },
  });
  const bytes = Buffer.from('x');
  const cid = cidFor(bytes, { codec: 'raw' });
  const node = inner.addNode();
  await node.put([{ cid, bytes }]);
  await exchange.openSession({ providers: [node.provider] }).fetch(cid);
  expect([await store.has(cid), syncs]).toEqual([true, 1]);
});
