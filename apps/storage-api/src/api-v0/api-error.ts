import type { ServerResponse } from 'node:http';
import { cidCharactersMax } from '@cairn/cid';
import { type CairnError, errorText, isCairnError } from '@cairn/errors';
import { CidTextError, decodeCid } from './cid/cid-parts.ts';
import { sendJson } from './write.ts';

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

/**
 * A request that is refused before its command runs: no such command, a missing argument, an option that cannot be read.
 * Kubo sends these as plain text.
 */
export class PlainApiError extends ApiError {}

/** Kubo's numbers for kinds of errors (go-ipfs-cmds, ErrorType). */
const kuboCodes: Readonly<Record<number, number>> = { 400: 1, 403: 4, 429: 3 };

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
  CREDENTIALS_INVALID: 401,
  BILLING_CARD_REQUIRED: 402,
  ACCOUNT_SUSPENDED: 403,
  KEY_SCOPE_MISSING: 403,
  CLIENT_NOT_ALLOWED: 403,
  ATTEMPTS_PAUSED: 429,
  LIMIT_REACHED: 429,
  QUOTA_EXCEEDED: 403,
  STORE_FULL: 507,
  SECRETS_KEY_UNUSABLE: 503,
  STORE_CLOSED: 503,
  TREE_BUSY: 503,
};

/** Failures of the store: their messages name directories and records, which are for the log alone. */
const storeFailures: readonly string[] = [
  'STORE_CORRUPT',
  'STORE_UNAVAILABLE',
  'STORE_VERSION_UNSUPPORTED',
  'STORE_WRITE_FAILED',
];

/** True for an error whose message is for the operator, and whose caller gets general words. */
export function isStoreFailure(error: unknown): boolean {
  return isCairnError(error) && storeFailures.includes(error.code);
}

/** What may be told of an error; `undefined` for one that is not the caller's to know. */
export function apiErrorFrom(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (!isCairnError(error)) return undefined;
  const ended = isCairnError(error, 'BLOCK_NOT_FOUND') ? apiErrorFrom(error.cause) : undefined;
  if (ended) return new ApiError(ended.status, `${ended.message}: ${notFound(error.details)}`, ended.headers);
  if (isStoreFailure(error))
    return new ApiError(500, 'the store is damaged or cannot be used; the log of the service has the reason');
  const status = statuses[error.code] ?? 500;
  const { retryAfterSeconds } = error.details;
  const headers: Record<string, string> = {
    ...(status === 401 && { 'www-authenticate': 'Basic realm="cairn", charset="UTF-8"' }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  };
  return new ApiError(status, wireMessage(error), headers);
}

/** Words of go-ipld-format for a missing block, which clients match. */
function notFound({ cid }: Readonly<Record<string, unknown>>): string {
  return `ipld: could not find ${String(cid)}`;
}

/** The words of go-cid for a path whose CID cannot be read. */
function pathMessage({ message, details: { path, cidText } }: CairnError): string {
  if (typeof cidText !== 'string' || cidText.length > cidCharactersMax) return message;
  try {
    decodeCid(cidText);
    return message;
  } catch (error) {
    return error instanceof CidTextError ? `invalid path ${JSON.stringify(path)}: ${error.message}` : message;
  }
}

/** Errors whose message is Kubo's, with nothing after it. */
const kuboWords: readonly string[] = [
  'ENTRY_EXISTS',
  'FILE_NOT_FOUND',
  'IS_A_DIRECTORY',
  'NOT_A_DIRECTORY',
  'NOT_A_FILE',
  'PATH_LOOKUP_FAILED',
  'TREE_CHANGE_INVALID',
];

/** Kubo's words where clients know them by heart. */
function wireMessage(error: CairnError): string {
  const { code, message, details } = error;
  if (code === 'BLOCK_NOT_FOUND') {
    const waited = details.waitedMs === undefined ? '' : ` (waited ${String(details.waitedMs)} ms for it)`;
    return `block was not found locally (offline): ${notFound(details)}${waited}`;
  }
  if (code === 'PIN_MODE_CONFLICT' && details.mode === 'recursive')
    return `${String(details.cid)} is pinned recursively`;
  if (code === 'PIN_NOT_FOUND') return 'not pinned or pinned indirectly';
  if (code === 'CAR_INVALID' && typeof details.words === 'string') return details.words;
  if (code === 'PATH_INVALID') return pathMessage(error);
  return kuboWords.includes(code) ? message : errorText(error);
}

/** Sends Kubo's error body, `{"Message","Code","Type":"error"}`, or plain text for a {@link PlainApiError}. */
export function sendError(response: ServerResponse, error: ApiError): void {
  const { status, message, headers } = error;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!(error instanceof PlainApiError)) {
    sendJson(response, { Message: message, Code: kuboCodes[status] ?? 0, Type: 'error' }, status);
    return;
  }
  const body = `${message}\n`;
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
