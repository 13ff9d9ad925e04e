import { CairnError } from '@cairn/errors';

/** Thrown for a denylist file of which no rule can be used. */
export class InvalidDenylistError extends CairnError<'DENYLIST_INVALID'> {
  constructor(file: string, line: number | undefined, reason: string, cause?: unknown) {
    const place = line === undefined ? file : `${file}:${line}`;
    super('DENYLIST_INVALID', `The denylist ${place} cannot be used: ${reason}.`, {
      hint:
        typeof cause === 'object' && cause !== null && 'syscall' in cause
          ? 'Check that the user of the service can read it and its directory.'
          : 'Correct the file. The format is https://specs.ipfs.tech/compact-denylist-format/.',
      details: { file, ...(line !== undefined && { line }) },
      cause,
    });
  }
}

/** Thrown for content that a denylist denies. The message is that of Kubo. */
export class ContentDeniedError extends CairnError<'CONTENT_DENIED'> {
  /** HTTP status: 410 Gone or 451 Unavailable For Legal Reasons. */
  readonly status: 410 | 451;

  /** @param subject CID or content path */
  constructor(subject: string, { status, file, line }: { status: 410 | 451; file: string; line: number }) {
    super('CONTENT_DENIED', `${subject} is blocked and cannot be provided`, { details: { status, file, line } });
    this.status = status;
  }
}
