import { CairnError } from '@cairn/errors';

/** The account has not pinned this CID itself. */
export class PinNotFoundError extends CairnError<'PIN_NOT_FOUND'> {
  constructor(cid: string) {
    super('PIN_NOT_FOUND', `${cid} is not pinned by this account.`, { details: { cid } });
  }
}

/** The account has pinned the CID in the other mode. */
export class PinModeError extends CairnError<'PIN_MODE_CONFLICT'> {
  constructor(cid: string, mode: string) {
    super('PIN_MODE_CONFLICT', `${cid} is pinned ${mode === 'recursive' ? 'recursively' : 'directly'}.`, {
      hint: mode === 'recursive' ? 'Ask for recursive=true.' : 'Ask for recursive=false.',
      details: { cid, mode },
    });
  }
}

/** No links can be read from blocks of this codec, so its DAG cannot be known to be complete. */
export class UnsupportedCodecError extends CairnError<'CODEC_UNSUPPORTED'> {
  constructor(cid: string, codec: number) {
    super('CODEC_UNSUPPORTED', `The links of ${cid} cannot be read: codec 0x${codec.toString(16)} is not supported.`, {
      hint: 'Pin it directly (recursive=false), or use dag-pb, dag-cbor, dag-json or raw.',
      details: { cid, codec },
    });
  }
}

/** The block does not decode in the codec that its CID names. */
export class UndecodableBlockError extends CairnError<'DAG_INVALID'> {
  constructor(cid: string, cause: unknown) {
    super('DAG_INVALID', `Block ${cid} does not decode in its codec.`, { details: { cid }, cause });
  }
}

/** The DAG has more blocks than one pin may hold. */
export class DagTooLargeError extends CairnError<'DAG_TOO_LARGE'> {
  constructor(cid: string, blocksMax: number) {
    super('DAG_TOO_LARGE', `The DAG under ${cid} has more than ${blocksMax} blocks.`, {
      hint: 'Pin its parts.',
      details: { cid, blocksMax },
    });
  }
}

/** The account holds as much as it may, or would with what it is adding. */
export class QuotaExceededError extends CairnError<'QUOTA_EXCEEDED'> {
  constructor(usedBytes: number, addedBytes: number, quotaBytes: number) {
    super(
      'QUOTA_EXCEEDED',
      `The account holds ${usedBytes} of its ${quotaBytes} bytes; ${addedBytes} more would exceed its quota.`,
      {
        hint: 'Unpin what is not needed any more, or ask for a higher quota.',
        details: { usedBytes, addedBytes, quotaBytes },
      },
    );
  }
}

/** A collection is running already, here or in another process on the same store. */
export class CollectionBusyError extends CairnError<'COLLECTION_BUSY'> {
  constructor() {
    super('COLLECTION_BUSY', 'Garbage is being collected already.', { hint: 'Wait for it to end.' });
  }
}
