// Packs in memory, for tests of the index: several stores share a bucket, and each step of a write can fail.
import { createHash, randomBytes } from 'node:crypto';
import type { Block } from '@cairn/blockstore';
import { verifyBytes } from '@cairn/cid';
import type { ObjectStore } from '@cairn/object-store';
import { keyOfMultihash } from './index/multihash.ts';
import type { OnPack, PackReader, PackWriter } from './types.ts';

interface Pending {
  readonly block: Block;
  readonly tags: Set<number>;
  isPbLeaf: boolean;
}

export class MemoryPackWriter implements PackWriter {
  readonly isFailing = false;
  readonly #bucket: ObjectStore;
  readonly #onPack: OnPack;
  readonly #step: (name: 'put' | 'record') => Promise<void> | void;
  #open = new Map<string, Pending>();
  readonly #sent = new Map<string, Pending>();
  #sending = Promise.resolve();

  /** @param step called before a pack is stored, and before it is recorded; it may throw */
  constructor(bucket: ObjectStore, onPack: OnPack, step: (name: 'put' | 'record') => Promise<void> | void = () => {}) {
    this.#bucket = bucket;
    this.#onPack = onPack;
    this.#step = step;
  }

  async add(blocks: readonly Block[], tag: number, isPbLeaf?: (block: Block) => boolean): Promise<void> {
    for (const block of blocks) {
      const key = keyOfMultihash(block.cid.multihash.bytes);
      const known = this.#open.get(key) ?? { block, tags: new Set(), isPbLeaf: false };
      known.tags.add(tag);
      known.isPbLeaf ||= isPbLeaf?.(block) === true;
      this.#open.set(key, known);
    }
  }

  pending(multihash: Uint8Array): Uint8Array | undefined {
    const key = keyOfMultihash(multihash);
    return (this.#open.get(key) ?? this.#sent.get(key))?.block.bytes;
  }

  flush(): Promise<void> {
    this.#sending = this.#sending.catch(() => {}).then(() => this.#send());
    return this.#sending;
  }

  async #send(): Promise<void> {
    const entries = [...this.#open];
    this.#open = new Map();
    if (entries.length === 0) return;
    for (const [key, each] of entries) this.#sent.set(key, each);
    try {
      const parts: Uint8Array[] = [randomBytes(16)];
      let offset = 16;
      const placed = entries.map(([, { block }]) => {
        const entry = { cid: block.cid, offset, length: block.bytes.length };
        // A byte between blocks, as the head of a section: empty blocks have different places.
        parts.push(block.bytes, Buffer.of(0));
        offset += block.bytes.length + 1;
        return entry;
      });
      const bytes = Buffer.concat(parts);
      const key = `packs/${createHash('sha256').update(bytes).digest('hex')}.car`;
      await this.#step('put');
      await this.#bucket.put(key, bytes);
      await this.#step('record');
      await this.#onPack(
        { key, bytes: bytes.length, entries: placed },
        entries.map(([, { tags }]) => [...tags]),
        new Set(entries.flatMap(([, { isPbLeaf }], index) => (isPbLeaf ? [index] : []))),
      );
    } finally {
      for (const [key] of entries) this.#sent.delete(key);
    }
  }

  /** Counts a byte for the head of each section, so that an empty block is pending too. */
  get pendingBytes(): number {
    return [...this.#open.values(), ...this.#sent.values()].reduce((sum, { block }) => sum + block.bytes.length + 1, 0);
  }

  async close(): Promise<void> {
    this.#open.clear();
  }
}

export function memoryPackReader(bucket: ObjectStore): PackReader {
  const reader: PackReader = {
    async get({ cid, pack, offset, length }) {
      const bytes = length === 0 ? new Uint8Array() : await bucket.get(pack, { range: { offset, length } });
      verifyBytes(cid, bytes);
      return bytes;
    },
    getMany: (locations) => Promise.all(locations.map((location) => reader.get(location))),
  };
  return reader;
}
