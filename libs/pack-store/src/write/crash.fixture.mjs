// Writes blocks in packs until it is killed. A message of the parent has the credentials and the place of the store, the file of the
// index, and the number of the round. The index is a file of lines, each durable before onPack resolves.
import { once } from 'node:events';
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { cidFor } from '@cairn/cid';
import { openS3ObjectStore } from '@cairn/object-store/s3';

const { createPackWriter } = await import(new URL('../../dist/index.js', import.meta.url).href);

const [{ credentials, url, indexFile, round }] = await once(process, 'message');
const objects = await openS3ObjectStore({ url, credentials, probe: false });
const index = openSync(indexFile, 'a');
const writer = createPackWriter({
  objects,
  waitMs: 5,
  async onPack({ key, entries }) {
    // The parent kills here in some rounds: the pack is stored, and its index is not.
    process.send?.({ uploaded: key });
    await new Promise((resolve) => setTimeout(resolve, 3));
    const lines = entries.map(({ cid, offset, length }) => JSON.stringify([String(cid), key, offset, length]));
    writeSync(index, `${lines.join('\n')}\n`);
    fsyncSync(index);
  },
});
process.on('disconnect', () => process.exit(0));
await Promise.all(
  Array.from({ length: 8 }, async (_, client) => {
    for (let n = 0; ; n++) {
      const bytes = Buffer.alloc(1 + ((n * 977 + client) % 20_000), `${round} ${client} ${n} `);
      const block = { bytes, cid: cidFor(bytes, { codec: 'raw' }) };
      await writer.add([block], 1);
      await writer.flush();
      process.send?.({ acknowledged: String(block.cid) });
    }
  }),
);
