import type { ServerResponse } from 'node:http';
import { errorText, isCairnError } from '@cairn/errors';

/** An error of the wire: a status, and a message for whoever called. */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Kubo's numbers for kinds of errors (go-ipfs-cmds, ErrorType). */
const kuboCodes: Readonly<Record<number, number>> = { 400: 1, 403: 3, 429: 4 };

/** Error codes of the libs whose status is not 500, what Kubo gives any failing command. */
const statuses: Readonly<Record<string, number>> = {
  CID_INVALID: 400,
  MULTIBASE_UNKNOWN: 400,
  PATH_INVALID: 400,
  OPTION_INVALID: 400,
  HASH_UNSUPPORTED: 400,
  BLOCK_TOO_LARGE: 400,
  VALUE_INVALID: 400,
  CAR_INVALID: 400,
  CODEC_UNSUPPORTED: 400,
  TREE_CHANGE_INVALID: 400,
  CREDENTIALS_INVALID: 401,
  BILLING_CARD_REQUIRED: 402,
  ACCOUNT_SUSPENDED: 403,
  KEY_SCOPE_MISSING: 403,
  CLIENT_NOT_ALLOWED: 403,
  ATTEMPTS_PAUSED: 429,
  LIMIT_REACHED: 429,
  QUOTA_EXCEEDED: 403,
  STORE_FULL: 507,
  STORE_CLOSED: 503,
  TREE_BUSY: 503,
};

/** What may be told of an error; `undefined` for one that is not the caller's to know. */
export function apiErrorFrom(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (!isCairnError(error)) return undefined;
  const status = statuses[error.code] ?? 500;
  const { retryAfterSeconds } = error.details;
  const headers: Record<string, string> = {
    ...(status === 401 && { 'www-authenticate': 'Basic realm="cairn", charset="UTF-8"' }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  };
  return new ApiError(status, wireMessage(error.code, errorText(error), error.details), headers);
}

/** Kubo's words where clients know them by heart. */
function wireMessage(code: string, text: string, details: Readonly<Record<string, unknown>>): string {
  if (code === 'BLOCK_NOT_FOUND') {
    const waited = details.waitedMs === undefined ? '' : ` (waited ${String(details.waitedMs)} ms for it)`;
    return `block was not found locally (offline): ipld: could not find ${String(details.cid)}${waited}`;
  }
  if (code === 'PIN_MODE_CONFLICT' && details.mode === 'recursive')
    return `pin: ${String(details.cid)} already pinned recursively`;
  if (code === 'PIN_NOT_FOUND') return 'not pinned or pinned indirectly';
  return text;
}

/** Sends Kubo's error body, `{"Message","Code","Type":"error"}`. */
export function sendError(response: ServerResponse, { status, message, headers }: ApiError): void {
  const body = `${JSON.stringify({ Message: message, Code: kuboCodes[status] ?? 0, Type: 'error' })}\n`;
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
