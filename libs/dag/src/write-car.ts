import type { Block } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { assertBytes, concatBytes } from '@cairn/platform';
import * as dagCbor from '@ipld/dag-cbor';
import { varint } from 'multiformats';

/**
 * Streams a CAR of version 1 (https://ipld.io/specs/transport/car/carv1/): the header, then each block as it arrives.
 * @throws BYTES_INVALID for an item of `blocks` that is not a block
 */
export async function* writeCar(
  roots: readonly CID[],
  blocks: AsyncIterable<Block> | Iterable<Block>,
): AsyncGenerator<Uint8Array> {
  const header = dagCbor.encode({ roots, version: 1 });
  yield concatBytes([lengthOf(header.length), header]);
  let index = 0;
  for await (const { cid, bytes } of blocks) {
    assertBytes(bytes, `bytes of block ${index++}`);
    yield concatBytes([lengthOf(cid.bytes.length + bytes.length), cid.bytes]);
    if (bytes.length > 0) yield bytes;
  }
}

function lengthOf(value: number): Uint8Array {
  return varint.encodeTo(value, new Uint8Array(varint.encodingLength(value)));
}
