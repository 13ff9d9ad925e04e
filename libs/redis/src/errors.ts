import { CairnError } from '@cairn/errors';

export type RedisErrorCode =
  | 'REDIS_UNAVAILABLE'
  | 'REDIS_OUTCOME_UNKNOWN'
  | 'REDIS_REFUSED'
  | 'REDIS_ANSWER_INVALID'
  | 'REDIS_URL_INVALID';

/** Error of this package. Messages contain no URL, since a URL may contain a password. */
export class RedisError extends CairnError<RedisErrorCode> {}

/** Creates the error of a command that was not sent. */
export function redisUnavailable(cause?: unknown): RedisError {
  return new RedisError('REDIS_UNAVAILABLE', 'Redis does not answer.', {
    hint: 'Retry in a moment.',
    details: { retryAfterSeconds: 1 },
    ...(cause !== undefined && { cause }),
  });
}

/** Creates the error of a command that was sent and got no answer: it may have run. */
export function redisOutcomeUnknown(cause: unknown): RedisError {
  return new RedisError('REDIS_OUTCOME_UNKNOWN', 'The connection to Redis was lost before the answer to a command.', {
    hint: 'Retry in a moment.',
    details: { retryAfterSeconds: 1 },
    cause,
  });
}

/** Creates the error of an answer in an unexpected form. The answer itself is not repeated. */
export function redisAnswerInvalid(command: string): RedisError {
  return new RedisError('REDIS_ANSWER_INVALID', `Redis answered ${command} in an unexpected form.`, {
    hint: 'Check that CAIRN_REDIS_URL names a Redis server, version 7 or newer, or Valkey.',
    details: { retryAfterSeconds: 1 },
  });
}

/** Creates the error of an error reply. Only its first word, the kind, is repeated. */
export function redisRefused(error: Error): RedisError {
  const [kind = 'ERR'] = error.message.split(' ', 1);
  return new RedisError('REDIS_REFUSED', `Redis refused a command (${kind.slice(0, 40)}).`, {
    hint: 'See the log of the Redis server.',
    details: { kind, retryAfterSeconds: 1 },
    cause: error,
  });
}
