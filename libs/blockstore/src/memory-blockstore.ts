import { CID, codecs } from '@cairn/cid';
import * as Digest from 'multiformats/hashes/digest';
import type { Block, Blockstore, BlockstoreStats, ReadOptions } from './blockstore.ts';
import { BlockNotFoundError, BlockTooLargeError } from './errors.ts';
import { limits } from './limits.ts';

/** Blocks in memory, for scripts and tests: gone with the process. */
export function createMemoryBlockstore(): Blockstore {
  return new MemoryBlockstore();
}

class MemoryBlockstore implements Blockstore {
  readonly #blocks = new Map<string, Uint8Array>();
  #bytes = 0;

  async get(cid: CID, { signal }: ReadOptions = {}): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const bytes = this.#blocks.get(keyOf(cid));
    if (bytes === undefined) throw new BlockNotFoundError(cid.toString());
    return bytes;
  }

  async has(cid: CID): Promise<boolean> {
    return this.#blocks.has(keyOf(cid));
  }

  async size(cid: CID): Promise<number> {
    return (await this.get(cid)).length;
  }

  async putMany(blocks: readonly Block[]): Promise<void> {
    for (const { cid, bytes } of blocks) {
      if (bytes.length > limits.blockBytesMax) {
        throw new BlockTooLargeError(cid.toString(), bytes.length, limits.blockBytesMax);
      }
    }
    for (const { cid, bytes } of blocks) {
      const key = keyOf(cid);
      if (this.#blocks.has(key)) continue;
      this.#blocks.set(key, bytes.slice());
      this.#bytes += bytes.length;
    }
  }

  async sync(): Promise<void> {}

  async delete(cid: CID): Promise<void> {
    const key = keyOf(cid);
    this.#bytes -= this.#blocks.get(key)?.length ?? 0;
    this.#blocks.delete(key);
  }

  async *keys({ signal }: ReadOptions = {}): AsyncGenerator<CID> {
    for (const key of [...this.#blocks.keys()].sort()) {
      signal?.throwIfAborted();
      yield CID.createV1(codecs.raw, Digest.decode(Buffer.from(key, 'hex')));
    }
  }

  async stats(): Promise<BlockstoreStats> {
    return { blocks: this.#blocks.size, bytes: this.#bytes };
  }

  async close(): Promise<void> {
    this.#blocks.clear();
  }
}

function keyOf(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString('hex');
}
