import { describeBlockstore, describeCollectable } from '@cairn/blockstore/testing';
import { createMemoryObjectStore } from '@cairn/object-store/testing';
import { openPostgres } from '@cairn/postgres';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { MemoryPackWriter, memoryPackReader } from '../memory-packs.fixture.ts';
import { PackBlockstore } from '../pack-blockstore.ts';
import { BlockIndex } from './block-index.ts';

describeWithPostgres('the block index', (server) => {
  const open = async (now?: () => number) => {
    const database = await openPostgres({ url: await server().createDatabase(), connectionsMax: 4 });
    const index = await BlockIndex.open({ database, now });
    const bucket = createMemoryObjectStore();
    const writer = new MemoryPackWriter(bucket, index.onPack);
    return new PackBlockstore({ index, writer, reader: memoryPackReader(bucket), close: () => database.close() });
  };
  describeBlockstore('packs in memory', () => open());
  describeCollectable('packs in memory', (now) => open(now));
});
