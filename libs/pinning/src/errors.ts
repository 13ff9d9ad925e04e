import { CairnError } from '@cairn/errors';

/** Thrown when the account has no pin of this CID. Pins above it do not count. */
export class PinNotFoundError extends CairnError<'PIN_NOT_FOUND'> {
  constructor(cid: string) {
    super('PIN_NOT_FOUND', `${cid} is not pinned by this account.`, { details: { cid } });
  }
}

/** Thrown when the account has pinned the CID in the other mode. */
export class PinModeError extends CairnError<'PIN_MODE_CONFLICT'> {
  constructor(cid: string, mode: string) {
    super('PIN_MODE_CONFLICT', `${cid} is pinned ${mode === 'recursive' ? 'recursively' : 'directly'}.`, {
      hint: mode === 'recursive' ? 'Pass recursive=true.' : 'Pass recursive=false.',
      details: { cid, mode },
    });
  }
}

/** Thrown for a codec whose links cannot be read, so that a DAG cannot be verified as complete. */
export class UnsupportedCodecError extends CairnError<'CODEC_UNSUPPORTED'> {
  constructor(cid: string, codec: number) {
    super('CODEC_UNSUPPORTED', `The links of ${cid} cannot be read: codec 0x${codec.toString(16)} is not supported.`, {
      hint: 'Pin it directly (recursive=false), or use dag-pb, dag-cbor, dag-json or raw.',
      details: { cid, codec },
    });
  }
}

/** Thrown when a block cannot be decoded with the codec of its CID. */
export class UndecodableBlockError extends CairnError<'DAG_INVALID'> {
  constructor(cid: string, cause: unknown) {
    super('DAG_INVALID', `Block ${cid} cannot be decoded with the codec of its CID.`, { details: { cid }, cause });
  }
}

/** Thrown when a DAG has more blocks than the limit of a walk. */
export class DagTooLargeError extends CairnError<'DAG_TOO_LARGE'> {
  constructor(cid: string, blocksMax: number) {
    super('DAG_TOO_LARGE', `The DAG under ${cid} has more than ${blocksMax} blocks.`, {
      hint: 'Pin parts of the DAG instead.',
      details: { cid, blocksMax },
    });
  }
}

/** Thrown when a write would exceed the quota of the account. */
export class QuotaExceededError extends CairnError<'QUOTA_EXCEEDED'> {
  constructor(usedBytes: number, addedBytes: number, quotaBytes: number) {
    super(
      'QUOTA_EXCEEDED',
      `The account holds ${usedBytes} of its ${quotaBytes} bytes; ${addedBytes} more would exceed its quota.`,
      {
        hint: 'Unpin unused content, or ask for a higher quota.',
        details: { usedBytes, addedBytes, quotaBytes },
      },
    );
  }
}

/** Thrown while another call or process collects garbage in the same store. */
export class CollectionBusyError extends CairnError<'COLLECTION_BUSY'> {
  constructor() {
    super('COLLECTION_BUSY', 'A garbage collection is already running.', { hint: 'Retry after it has ended.' });
  }
}

/** Thrown when the account has no pin request with this id. */
export class PinRequestNotFoundError extends CairnError<'PIN_REQUEST_NOT_FOUND'> {
  constructor(id: string) {
    super('PIN_REQUEST_NOT_FOUND', `The account has no pin request ${JSON.stringify(id.slice(0, 64))}.`, {
      hint: 'List the requests of the account for their ids.',
    });
  }
}

/** Thrown when an account has as many pin requests as it may. */
export class PinRequestsFullError extends CairnError<'PIN_REQUESTS_FULL'> {
  constructor(present: string, max: number) {
    super('PIN_REQUESTS_FULL', `The account has ${present}, the most allowed.`, {
      hint: 'Remove requests, or wait until open ones are pinned or have failed.',
      details: { max },
    });
  }
}

/** Thrown for a URL that a webhook may not have. */
export class WebhookUrlError extends CairnError<'WEBHOOK_URL_INVALID'> {
  constructor(message: string, hint: string) {
    super('WEBHOOK_URL_INVALID', message, { hint });
  }
}

/** Thrown when the account has no webhook. */
export class WebhookNotFoundError extends CairnError<'WEBHOOK_NOT_FOUND'> {
  constructor() {
    super('WEBHOOK_NOT_FOUND', 'The account has no webhook.', {
      hint: 'Create one with PUT /psa/webhook or `cairn account webhook set`.',
    });
  }
}
