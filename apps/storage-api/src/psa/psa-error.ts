import { isCairnError } from '@cairn/errors';
import { ApiError } from '../api-v0/api-error.ts';
import { apiErrorFrom } from '../api-v0/error-policy.ts';

/** Error body of the specification, and its status. */
export interface PsaError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: { readonly reason: string; readonly details: string } };
}

/** Statuses and reasons of the specification for errors that `/api/v0` reports otherwise. */
const rules: Readonly<Record<string, { readonly status: number; readonly reason: string }>> = {
  BILLING_CARD_REQUIRED: { status: 409, reason: 'INSUFFICIENT_FUNDS' },
  PIN_REQUEST_NOT_FOUND: { status: 404, reason: 'NOT_FOUND' },
  WEBHOOK_NOT_FOUND: { status: 404, reason: 'NOT_FOUND' },
};

/** Reasons by status, for errors whose code is no reason of the specification. */
const reasons: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  413: 'BODY_TOO_LARGE',
  414: 'URL_TOO_LONG',
};

/** Returns an error as the specification wants it. An error without a code is reported by the id of its request. */
export function psaErrorFrom(error: unknown, requestId: string): PsaError {
  const known = apiErrorFrom(error);
  if (known === undefined) {
    const details = `internal error; the log of the service has it under request id ${requestId}`;
    return psaError(new ApiError(500, details), 'INTERNAL_SERVER_ERROR');
  }
  const code = isCairnError(error) ? error.code : undefined;
  const rule = code === undefined ? undefined : rules[code];
  const status = rule?.status ?? known.status;
  const fallback = status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST';
  const reason = rule?.reason ?? reasons[status] ?? code ?? fallback;
  const headers = status === 401 ? { 'www-authenticate': 'Bearer realm="cairn"' } : known.headers;
  return psaError(new ApiError(status, known.message, headers), reason);
}

function psaError({ status, message, headers }: ApiError, reason: string): PsaError {
  return { status, headers, body: { error: { reason, details: message } } };
}
