import { CairnError } from '@cairn/errors';

/** The store has no block of that name. */
export class BlockNotFoundError extends CairnError<'BLOCK_NOT_FOUND'> {
  /** `cause`: the reason of a signal that ended the wait for the block. */
  constructor(cid: string, { waitedMs, cause }: { readonly waitedMs?: number; readonly cause?: unknown } = {}) {
    const waited = waitedMs === undefined ? '' : `, and did not come within ${waitedMs} ms`;
    super('BLOCK_NOT_FOUND', `Block ${cid} is not in this store${waited}.`, {
      hint: 'Check the CID, or add the content first.',
      details: { cid, ...(waitedMs !== undefined && { waitedMs }) },
      cause,
    });
  }
}

/** The block is longer than peers and tools take. */
export class BlockTooLargeError extends CairnError<'BLOCK_TOO_LARGE'> {
  constructor(cid: string, bytes: number, bytesMax: number) {
    super('BLOCK_TOO_LARGE', `Block ${cid} has ${bytes} bytes; the limit is ${bytesMax}.`, {
      hint: 'Use a chunker with smaller chunks.',
      details: { cid, bytes, bytesMax },
    });
  }
}

/** Another collection cycle has begun: marks of this one no longer count. */
export class CycleOverError extends CairnError<'CYCLE_OVER'> {
  constructor(cycle: number, current: number) {
    super('CYCLE_OVER', `Collection cycle ${cycle} is over; the store is in cycle ${current}.`, {
      hint: 'Begin a cycle and mark again; run one collector at a time.',
      details: { cycle, current },
    });
  }
}

/** The block is set aside: its bytes were found wrong. */
export class QuarantinedBlockError extends CairnError<'BLOCK_CORRUPT'> {
  constructor(cid: string) {
    super('BLOCK_CORRUPT', `The bytes of block ${cid} were found not to match its name; it is in quarantine.`, {
      hint: 'Add the same content again to mend it.',
      details: { cid },
    });
  }
}
