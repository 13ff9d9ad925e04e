import type { CID } from '@cairn/cid';
import { hexDigitsFromBytes } from '@cairn/platform';
import type { BlockstoreStats } from './blockstore.ts';

interface MemoryClaim {
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly in: number;
  readonly isCounted: boolean;
}

/** Claims of the memory store, by owner and key. */
export class MemoryClaims {
  readonly #byOwner = new Map<number, Map<string, MemoryClaim>>();

  of(owner: number): Map<string, MemoryClaim> {
    const found = this.#byOwner.get(owner);
    if (found) return found;
    const made = new Map<string, MemoryClaim>();
    this.#byOwner.set(owner, made);
    return made;
  }

  sums(owner: number): BlockstoreStats {
    const claims = [...this.of(owner).values()].filter(({ isCounted }) => isCounted);
    return { blocks: claims.length, bytes: claims.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  isClaimed(key: string): boolean {
    return [...this.#byOwner.values()].some((claims) => claims.has(key));
  }

  /** Ends all claims on a block. */
  forget(key: string): void {
    for (const claims of this.#byOwner.values()) claims.delete(key);
  }

  /** Ends the claims on a block that were made at or before `before`, in a cycle before `keepFrom`. */
  expire(key: string, { before, keepFrom }: { readonly before: number; readonly keepFrom: number }): void {
    for (const claims of this.#byOwner.values()) {
      const claim = claims.get(key);
      if (claim && claim.at <= before && claim.in < keepFrom) claims.delete(key);
    }
  }
}

/** Returns the key of a block in the memory store: its multihash in hexadecimal. */
export function keyOf(cid: CID): string {
  return hexDigitsFromBytes(cid.multihash.bytes);
}
