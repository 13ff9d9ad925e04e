import type { CID } from '@cairn/cid';

/** Reported roots that are kept. A further one takes the place of the oldest, which the periodic comparison finds. */
const rootsMax = 10_000;

/**
 * Roots that were reported before the index of served blocks had them, by multihash. The index names a block with a direct pin
 * by another codec than its pin.
 */
export class ReportedRoots {
  readonly #roots = new Map<string, CID>();

  add(roots: readonly CID[]): void {
    for (const root of roots) {
      this.#roots.set(keyOf(root), root);
      for (const oldest of this.#roots.keys()) {
        if (this.#roots.size <= rootsMax) break;
        this.#roots.delete(oldest);
      }
    }
  }

  /** Returns the reported CIDs of newly served blocks, and forgets them. A block that was not reported keeps its CID. */
  take(served: readonly CID[]): CID[] {
    return served.map((cid) => {
      const key = keyOf(cid);
      const root = this.#roots.get(key);
      this.#roots.delete(key);
      return root ?? cid;
    });
  }
}

function keyOf({ multihash: { bytes } }: CID): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
