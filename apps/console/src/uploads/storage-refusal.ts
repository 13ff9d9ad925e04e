import { CairnError } from '@cairn/errors';
import { byteText } from '../byte-text.ts';

interface Refusal {
  readonly code: string;
  /** Text in the place of the storage API's, where that is for operators. */
  readonly message?: string;
  /** Advice where the message of the storage API has none. */
  readonly hint?: string;
}

/** Statuses of the storage API that pages know, with the code of each here. */
const refusals: Readonly<Record<number, Refusal>> = {
  402: { code: 'CARD_REQUIRED' },
  403: { code: 'QUOTA_EXCEEDED' },
  408: { code: 'UPLOAD_TOO_SLOW', hint: 'Check your connection, then retry.' },
  413: { code: 'UPLOAD_TOO_LONG', hint: 'Split it, or ask the operator of this service for a higher limit.' },
  429: { code: 'LIMIT_REACHED' },
  503: { code: 'SERVICE_BUSY', hint: 'Retry in a moment.' },
  507: {
    code: 'STORE_FULL',
    message: 'The service has no room left for this upload.',
    hint: 'Ask the operator of this service, then retry.',
  },
};

/** Error of a page for what the storage API refuses. @param retryAfter the header field of that name */
export function storageRefusal(status: number, body: string, retryAfter?: string | string[]): CairnError {
  // The name that the console has for the account is made anew for each request: no advice to a customer changes that.
  if (status === 401)
    return new CairnError('SERVICE_UNREACHABLE', 'The storage API does not accept requests of this console.', {
      hint: 'Ask the operator of this service: console and storage API must share one CAIRN_HOME.',
    });
  const other: Refusal = { code: status >= 500 ? 'STORAGE_FAILED' : 'STORAGE_REFUSED' };
  const { code, message = plain(messageOf(body)), hint } = refusals[status] ?? other;
  const seconds = Number(retryAfter);
  return new CairnError(code, sentence(message), {
    ...(hint !== undefined && { hint }),
    ...(retryAfter !== undefined && Number.isFinite(seconds) && { details: { retryAfterSeconds: seconds } }),
  });
}

/** A refusal by the quota, with an amount that people read. */
function plain(message: string): string {
  const [, quota] = /^The account holds \d+ of its (\d+) bytes; \d+ more would exceed its quota\./.exec(message) ?? [];
  if (quota === undefined) return message;
  return `This upload does not fit in what is left of the quota of ${byteText(Number(quota))}. Unpin files that you do not need, or ask for a higher quota.`;
}

function messageOf(body: string): string {
  try {
    return (JSON.parse(body) as { readonly Message?: string }).Message ?? 'The storage API refused.';
  } catch {
    // Plain text of the storage API, or a page of a proxy.
    return /^[^<\n]{1,300}\n?$/.test(body) ? body.trim() : 'The storage API refused.';
  }
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
