import { CairnError } from '@cairn/errors';

/** The store has no block of that name. */
export class BlockNotFoundError extends CairnError<'BLOCK_NOT_FOUND'> {
  constructor(cid: string) {
    super('BLOCK_NOT_FOUND', `Block ${cid} is not in this store.`, {
      hint: 'Check the CID, or add the content first.',
      details: { cid },
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
