import type { Claim } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { blockKey, cidOfBlockKey } from './walk-dag.ts';

/** Maximum number of names in a set: about 1 MiB of memory. */
const keysMax = 8192;

/** Claims on the blocks of a walk: the sums of all, and the names of the first ones. A DAG may have millions of blocks. */
export class ClaimSet {
  /** Digest parts, since one block may occur in a DAG under several codecs. */
  readonly #parts = new Set<number>();
  readonly #keys: string[] = [];
  #countedBytes = 0;
  #uncountedBytes = 0;

  add(claims: Iterable<Claim>): void {
    for (const { cid, bytes, isCounted } of claims) {
      const part = digestPart(cid);
      if (this.#parts.has(part)) continue;
      this.#parts.add(part);
      if (isCounted) this.#countedBytes += bytes;
      else this.#uncountedBytes += bytes;
      if (this.#keys.length < keysMax) this.#keys.push(blockKey(cid));
    }
  }

  get size(): number {
    return this.#parts.size;
  }

  /** Bytes of the claims that count towards the quota. */
  get countedBytes(): number {
    return this.#countedBytes;
  }

  /** Bytes of the claims that do not count towards the quota. */
  get uncountedBytes(): number {
    return this.#uncountedBytes;
  }

  /** The claimed blocks; undefined if there are more than the set remembers. */
  get cids(): CID[] | undefined {
    return this.#keys.length === this.#parts.size ? this.#keys.map(cidOfBlockKey) : undefined;
  }

  clear(): void {
    this.#parts.clear();
    this.#keys.length = 0;
    this.#countedBytes = 0;
    this.#uncountedBytes = 0;
  }
}

/** Returns the last 6 bytes of a digest as a number. Two blocks that share them count as one, in favour of the account. */
export function digestPart({ multihash: { digest } }: CID): number {
  const bytes = Math.min(6, digest.length);
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).readUIntBE(digest.length - bytes, bytes);
}
