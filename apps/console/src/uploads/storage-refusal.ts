import { CairnError } from '@cairn/errors';
import { byteText } from '@cairn/service-kit';

interface Refusal {
  readonly code: string;
  /** Replaces the message of the storage API where that message is for operators. */
  readonly message?: string;
  /** Advice for messages of the storage API without one. */
  readonly hint?: string;
}

/** Code of the console for each status of the storage API. */
const refusals: Readonly<Record<number, Refusal>> = {
  402: { code: 'CARD_REQUIRED' },
  403: { code: 'QUOTA_EXCEEDED' },
  404: { code: 'STORAGE_NOT_FOUND' },
  // Answer of the Pinning Service API to an account without a card.
  409: { code: 'CARD_REQUIRED' },
  408: { code: 'UPLOAD_TOO_SLOW', hint: 'Check your connection, then retry.' },
  413: { code: 'UPLOAD_TOO_LONG', hint: 'Split it, or ask the operator of this service for a higher limit.' },
  429: { code: 'LIMIT_REACHED' },
  503: { code: 'SERVICE_BUSY', hint: 'Retry in a moment.' },
  507: {
    code: 'STORE_FULL',
    message: 'The store of the service is full.',
    hint: 'Ask the operator of this service for more space, then retry.',
  },
};

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Error of the console for a refusal of the storage API. @param headers header fields of its answer */
export function storageRefusal(status: number, body: string, headers: Headers = {}): CairnError {
  // Each request carries a new delegation, so this refusal is a configuration fault and not the customer's.
  if (status === 401)
    return new CairnError('SERVICE_UNREACHABLE', 'The storage API does not accept requests of this console.', {
      hint: 'Ask the operator of this service: console and storage API must share one CAIRN_HOME.',
    });
  const other: Refusal = { code: isFailure(status, body, headers) ? 'STORAGE_FAILED' : 'STORAGE_REFUSED' };
  const { code, message = withUnits(messageOf(body)), hint } = refusals[status] ?? other;
  const retryAfter = headers['retry-after'];
  const seconds = Number(retryAfter);
  return new CairnError(code, sentence(message), {
    ...(hint !== undefined && { hint }),
    ...(retryAfter !== undefined && Number.isFinite(seconds) && { details: { retryAfterSeconds: seconds } }),
  });
}

/** Reports whether the storage API failed. As Kubo, it answers 500 for refusals too; a header field tells them apart. */
function isFailure(status: number, body: string, headers: Headers): boolean {
  if (status !== 500 || headers['x-cairn-fault'] !== undefined) return status >= 500;
  try {
    return (JSON.parse(body) as { readonly Type?: unknown }).Type !== 'error';
  } catch {
    return true;
  }
}

/** Rewrites a quota refusal with amounts in units. */
function withUnits(message: string): string {
  const [, quota] = /^The account holds \d+ of its (\d+) bytes; \d+ more would exceed its quota\./.exec(message) ?? [];
  if (quota === undefined) return message;
  return `The upload exceeds the quota of ${byteText(Number(quota))}. Unpin files that you do not need, or ask for a higher quota.`;
}

function messageOf(body: string): string {
  try {
    const { Message: message, error } = JSON.parse(body) as {
      readonly Message?: string;
      /** Error of the Pinning Service API. */
      readonly error?: { readonly details?: string };
    };
    return message ?? error?.details ?? 'The storage API refused the request.';
  } catch {
    // Text of the storage API, or an HTML page of a proxy.
    return /^[^<\n]{1,300}\n?$/.test(body) ? body.trim() : 'The storage API refused the request.';
  }
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
