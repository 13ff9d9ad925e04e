import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CarReader, CarWriter } from '@ipld/car';
import * as dagCbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import { type Manifest, rawCode, snapshotCid } from './manifest.ts';

/** Content of a snapshot, read with @ipld/car. */
export interface OpenSnapshot {
  manifest: Manifest;
  /** Uncompressed chunks. */
  readonly chunks: Buffer[];
}

/** Reads a snapshot by following the links from its root. */
export async function readSnapshot(path: string): Promise<OpenSnapshot> {
  const car = await CarReader.fromBytes(await readFile(path));
  const get = async (cid: CID) => (await car.get(cid as never))?.bytes ?? new Uint8Array(0);
  const [root] = await car.getRoots();
  const manifest = dagCbor.decode<Manifest>(await get(root as never));
  const chunks: Buffer[] = [];
  for (const part of manifest.index)
    for (const link of dagCbor.decode<CID[]>(await get(part as never))) chunks.push(gunzipSync(await get(link)));
  return { manifest, chunks };
}

/** Writes a snapshot with correct CIDs, whatever its content is. */
export async function writeSealed(path: string, { manifest, chunks }: OpenSnapshot): Promise<void> {
  const blocks = chunks
    .map((chunk) => gzipSync(chunk, { level: 1 }))
    .map((bytes) => ({ cid: snapshotCid(rawCode, bytes), bytes }));
  const list = dagCbor.encode(blocks.map(({ cid }) => cid));
  const index = [snapshotCid(dagCbor.code, list)];
  const root = dagCbor.encode({ ...manifest, index });
  const rootCid = snapshotCid(dagCbor.code, root);
  const { writer, out } = CarWriter.create([rootCid as never]);
  const writing = pipeline(Readable.from(out), createWriteStream(path));
  for (const block of [...blocks, { cid: index[0] as CID, bytes: list }, { cid: rootCid, bytes: root }])
    await writer.put(block as never);
  await writer.close();
  await writing;
}
