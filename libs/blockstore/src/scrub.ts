import { type CID, verifyBytes } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { CollectableBlockstore } from './collectable.ts';

export interface ScrubOptions {
  /** The unwrapped store, without cache or verification. */
  readonly store: CollectableBlockstore;
  /** Average number of bytes to read per second. */
  readonly bytesPerSecond: number;
  readonly signal?: AbortSignal;
  /** Called with every corrupt block after it was quarantined. */
  readonly onCorrupt?: (cid: CID) => void;
  /** Waits for a number of milliseconds. Default: a timer that does not keep the process alive. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

export interface ScrubReport {
  readonly blocks: number;
  readonly bytes: number;
  /** Corrupt blocks found by this scrub. */
  readonly corrupt: number;
}

/** Bytes to read between two waits. */
const stepBytes = 1024 * 1024;
/** Milliseconds of work between two waits: a mebibyte can be tens of thousands of small blocks. */
const stepMs = 2;
/** A wait takes this many times the work before it at least, so that small blocks use a quarter of a core. */
const restFactor = 3;

/** Verifies every block once at a bounded rate and quarantines corrupt ones. @throws the reason of the signal */
export async function scrub(options: ScrubOptions): Promise<ScrubReport> {
  const { store, bytesPerSecond, signal, onCorrupt, wait = sleep } = options;
  const sums = { blocks: 0, bytes: 0, corrupt: 0 };
  let sinceWait = 0;
  let workBegan = performance.now();
  for await (const cid of store.keys(signal ? { signal } : {})) {
    const found = await check(store, cid);
    if (found === undefined) continue;
    sums.blocks++;
    sums.bytes += found.bytes;
    sinceWait += found.bytes;
    if (found.isCorrupt) {
      sums.corrupt++;
      onCorrupt?.(cid);
    }
    const workedMs = performance.now() - workBegan;
    if (sinceWait < stepBytes && workedMs < stepMs) continue;
    signal?.throwIfAborted();
    await wait(Math.max((sinceWait / bytesPerSecond) * 1000, workedMs * restFactor));
    sinceWait = 0;
    workBegan = performance.now();
  }
  return sums;
}

/** Verifies one block. Returns undefined for a block that was deleted meanwhile or is already in quarantine. */
async function check(
  store: CollectableBlockstore,
  cid: CID,
): Promise<{ readonly bytes: number; readonly isCorrupt: boolean } | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await store.get(cid);
  } catch (error) {
    if (isCairnError(error, 'BLOCK_NOT_FOUND') || isCairnError(error, 'BLOCK_CORRUPT')) return undefined;
    throw error;
  }
  try {
    verifyBytes(cid, bytes);
    return { bytes: bytes.length, isCorrupt: false };
  } catch (error) {
    if (!isCairnError(error, 'BLOCK_CORRUPT')) throw error;
    await store.quarantine(cid);
    return { bytes: bytes.length, isCorrupt: true };
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    // Browsers return a number.
    const timer: { unref?(): void } | number = setTimeout(resolve, milliseconds);
    if (typeof timer === 'object') timer.unref?.();
  });
}
