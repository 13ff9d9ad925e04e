import { CairnError } from '@cairn/errors';

export type PostgresErrorCode =
  | 'POSTGRES_UNAVAILABLE'
  | 'POSTGRES_OUTCOME_UNKNOWN'
  | 'POSTGRES_BUSY'
  | 'POSTGRES_REFUSED'
  | 'POSTGRES_SCHEMA_NEWER'
  | 'POSTGRES_SCHEMA_CHANGED'
  | 'POSTGRES_URL_INVALID'
  | 'POSTGRES_VERSION_UNSUPPORTED';

/** Error of this package. Messages contain no URL, since a URL may contain a password. */
export class PostgresError extends CairnError<PostgresErrorCode> {}

/** Failures after which the same transaction can succeed: serialization failure, deadlock. */
const repeatable = new Set(['40001', '40P01']);

/** Classes and codes of a lost or refused connection (PostgreSQL manual, appendix A): 08, 57P01 to 57P04, 53300. */
const unavailable = /^(08...|57P0[1-4]|53300|25006)$/;

/** A write reached a standby, such as a primary before a failover (`read_only_sql_transaction`). It was not done. */
const readOnly = '25006';
const readOnlyMessage = 'The database is read-only: it is a standby, or default_transaction_read_only is on.';

/** Refusals of a connection: user, password, `pg_hba.conf`, or a database that does not exist. */
const refusedConnection = /^(28...|3D000)$/;

/** Returns the SQLSTATE or the system error code of an error. */
function codeOf(error: unknown): string | undefined {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : undefined;
}

/** Reports whether the server ended the transaction so that it can be repeated. */
export function isRepeatable(error: unknown): boolean {
  return repeatable.has(codeOf(error) ?? '');
}

/** Reports whether an error is a lost connection or a server that is away, also one that became a standby. */
export function isConnectionFailure(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return unavailable.test(code) || /^E[A-Z]+$/.test(code);
  // `pg` reports these without a code.
  return /Connection terminated|connection timeout|^timeout expired$|timeout exceeded when trying to connect|Client has encountered a connection error/i.test(
    messageOf(error),
  );
}

/** Returns the message of an error; an empty text for another value. */
function messageOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return hasMessage && typeof error.message === 'string' ? error.message : '';
}

/** Converts an error of `pg` into one of this package; other errors stay as they are. */
export function postgresError(error: unknown): unknown {
  if (error instanceof CairnError) return error;
  const code = codeOf(error);
  if (isConnectionFailure(error))
    return new PostgresError(
      'POSTGRES_UNAVAILABLE',
      code === readOnly ? readOnlyMessage : 'The database does not answer.',
      {
        hint: 'Retry in a moment.',
        details: { ...(code !== undefined && { sqlState: code }), retryAfterSeconds: 1 },
        cause: error,
      },
    );
  if (isRepeatable(error) || code === '57014' || code === '55P03' || isReadTimeout(error))
    return new PostgresError('POSTGRES_BUSY', 'The database did not finish the statement in time.', {
      hint: 'Retry in a moment.',
      details: { ...(code !== undefined && { sqlState: code }), retryAfterSeconds: 1 },
      cause: error,
    });
  if (code === undefined) return error;
  if (refusedConnection.test(code))
    return new PostgresError('POSTGRES_REFUSED', `The database refused the connection (SQLSTATE ${code}).`, {
      hint: 'Check the user, the password and the name of the database in its URL (CAIRN_DATABASE_URL).',
      details: { sqlState: code },
      cause: error,
    });
  return new PostgresError('POSTGRES_REFUSED', `The database refused a statement (SQLSTATE ${code}).`, {
    hint: 'See the log of the database.',
    details: { sqlState: code },
    cause: error,
  });
}

/** Reports whether the client gave up a statement, since the server did not answer. */
function isReadTimeout(error: unknown): boolean {
  return /query read timeout/i.test(messageOf(error));
}

/** Reports whether a connection must not be used again after an error: it is lost, silent, or leads to a standby. */
export function endsConnection(error: unknown): boolean {
  return isConnectionFailure(error) || isReadTimeout(error);
}

/** Reports whether a statement was sent and its answer did not arrive. The server may have run it, or may run it later. */
export function hasNoAnswer(error: unknown): boolean {
  return endsConnection(error) && codeOf(error) !== readOnly;
}

/** Error of a commit without an answer: the transaction may have been committed. */
export function outcomeUnknown(cause: unknown): PostgresError {
  return new PostgresError('POSTGRES_OUTCOME_UNKNOWN', 'The database did not confirm a commit.', {
    hint: 'Read the state before you repeat the change.',
    details: { retryAfterSeconds: 1 },
    cause,
  });
}
