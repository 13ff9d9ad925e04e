import { type CairnError, isCairnError } from '@cairn/errors';
import type { PostgresErrorCode } from '@cairn/postgres';

/**
 * Kind of a failure of an engine. `away`: nothing was done, and a retry can succeed. `unknown`: a change may have been made.
 * `full`: nothing was done, and the operator has to add space. `fault`: the operator has to act.
 */
export type EngineFailureKind = 'away' | 'unknown' | 'full' | 'fault';

type EngineCode =
  | PostgresErrorCode
  | `OBJECT_STORE_${'UNAVAILABLE' | 'BUSY' | 'DENIED' | 'FULL' | 'REFUSED' | 'UNFIT' | 'CLOSED' | 'URL_INVALID'}`
  | `OBJECT_${'BUCKET_NOT_FOUND' | 'NOT_FOUND' | 'CHECKSUM_MISMATCH'}`
  | `REDIS_${'UNAVAILABLE' | 'OUTCOME_UNKNOWN' | 'REFUSED' | 'ANSWER_INVALID' | 'URL_INVALID'}`
  | 'STORES_SETTINGS_INVALID';

const kinds = {
  POSTGRES_UNAVAILABLE: 'away',
  POSTGRES_BUSY: 'away',
  POSTGRES_OUTCOME_UNKNOWN: 'unknown',
  POSTGRES_REFUSED: 'fault',
  POSTGRES_SCHEMA_NEWER: 'fault',
  POSTGRES_SCHEMA_CHANGED: 'fault',
  POSTGRES_URL_INVALID: 'fault',
  POSTGRES_VERSION_UNSUPPORTED: 'fault',
  OBJECT_STORE_UNAVAILABLE: 'away',
  OBJECT_STORE_BUSY: 'away',
  OBJECT_STORE_CLOSED: 'away',
  OBJECT_STORE_DENIED: 'fault',
  OBJECT_STORE_FULL: 'full',
  OBJECT_STORE_REFUSED: 'fault',
  OBJECT_STORE_UNFIT: 'fault',
  OBJECT_STORE_URL_INVALID: 'fault',
  OBJECT_BUCKET_NOT_FOUND: 'fault',
  // A pack of the index is missing: the bucket is another one, or was restored from an older copy.
  OBJECT_NOT_FOUND: 'fault',
  // The server refused bytes that the network damaged.
  OBJECT_CHECKSUM_MISMATCH: 'away',
  REDIS_UNAVAILABLE: 'away',
  // Only limits and filters are in Redis: a token that was taken twice is no reason to ask the client.
  REDIS_OUTCOME_UNKNOWN: 'away',
  REDIS_REFUSED: 'fault',
  REDIS_ANSWER_INVALID: 'fault',
  REDIS_URL_INVALID: 'fault',
  STORES_SETTINGS_INVALID: 'fault',
} as const satisfies Record<EngineCode, EngineFailureKind>;

/** A map, since codes named like members of every object must not match. */
const kindOf: ReadonlyMap<string, EngineFailureKind> = new Map(Object.entries(kinds));

/** Failure of an engine as clients see it. The error itself is for the log of the operator. */
export interface EngineFailure {
  readonly kind: EngineFailureKind;
  /** HTTP status. */
  readonly status: 500 | 503 | 507;
  /** Text for clients, without names of hosts. */
  readonly message: string;
  readonly hint: string;
  /** Value of Retry-After; absent where a repeated request could do the work twice, or fails again. */
  readonly retryAfterSeconds?: number;
}

const defaultRetrySeconds = 1;

/** Returns how clients see an error of an engine; `undefined` for other errors. */
export function engineFailureOf(error: unknown): EngineFailure | undefined {
  if (!isCairnError(error)) return undefined;
  const kind = kindOf.get(error.code);
  if (kind === undefined) return undefined;
  if (kind === 'away') {
    const message = 'A store of the service does not answer.';
    return { kind, status: 503, message, hint: 'Retry in a moment.', retryAfterSeconds: secondsOf(error) };
  }
  if (kind === 'full')
    return { kind, status: 507, message: 'The store of the service is full.', hint: 'The operator has to add space.' };
  return kind === 'unknown'
    ? {
        kind,
        status: 500,
        message: 'The change was not confirmed: it may have been made.',
        hint: 'Read the state before you repeat the request.',
      }
    : {
        kind,
        status: 500,
        message: 'A store of the service cannot be used.',
        hint: 'The log of the service has the reason.',
      };
}

function secondsOf({ details: { retryAfterSeconds } }: CairnError): number {
  return typeof retryAfterSeconds === 'number' ? Math.max(1, Math.ceil(retryAfterSeconds)) : defaultRetrySeconds;
}
