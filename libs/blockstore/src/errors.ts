import { CairnError } from '@cairn/errors';

/** Thrown when the store does not have a block. */
export class BlockNotFoundError extends CairnError<'BLOCK_NOT_FOUND'> {
  /** @param options `cause` is the reason of a signal that ended the wait for the block. */
  constructor(cid: string, { waitedMs, cause }: { readonly waitedMs?: number; readonly cause?: unknown } = {}) {
    const waited = waitedMs === undefined ? '' : ` and was not written within ${waitedMs} ms`;
    super('BLOCK_NOT_FOUND', `Block ${cid} is not in this store${waited}.`, {
      hint: 'Check the CID, or add the content first.',
      details: { cid, ...(waitedMs !== undefined && { waitedMs }) },
      cause,
    });
  }
}

/** Thrown when a block exceeds the length that IPFS peers and tools accept. */
export class BlockTooLargeError extends CairnError<'BLOCK_TOO_LARGE'> {
  constructor(cid: string, bytes: number, bytesMax: number) {
    super('BLOCK_TOO_LARGE', `Block ${cid} has ${bytes} bytes; the limit is ${bytesMax}.`, {
      hint: 'Use a chunker with smaller chunks.',
      details: { cid, bytes, bytesMax },
    });
  }
}

/** Thrown when a later collection cycle has begun, so that the marks of this one no longer count. */
export class CycleOverError extends CairnError<'CYCLE_OVER'> {
  constructor(cycle: number, current: number) {
    super('CYCLE_OVER', `Collection cycle ${cycle} is over; the store is in cycle ${current}.`, {
      hint: 'Begin a new cycle and mark again. Run one collector at a time.',
      details: { cycle, current },
    });
  }
}

/** Thrown when a collection has ended a hold, so that blocks of the write may be missing. */
export class HoldLostError extends CairnError<'HOLD_LOST'> {
  constructor() {
    super('HOLD_LOST', 'The service was paused during this write, and its blocks may have been collected.', {
      hint: 'Send the request again.',
      details: { retryAfterSeconds: 1 },
    });
  }
}

/** Thrown by a read of a quarantined block. */
export class QuarantinedBlockError extends CairnError<'BLOCK_CORRUPT'> {
  constructor(cid: string) {
    super('BLOCK_CORRUPT', `Block ${cid} is in quarantine: its bytes do not match its CID.`, {
      hint: 'Add the same content again to repair it.',
      details: { cid },
    });
  }
}
