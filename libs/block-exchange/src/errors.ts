import { CairnError } from '@cairn/errors';

export type ExchangeErrorCode = 'EXCHANGE_BUSY' | 'EXCHANGE_CLOSED' | 'EXCHANGE_SESSION_CLOSED';

/** Error of this package. */
export class ExchangeError extends CairnError<ExchangeErrorCode> {}

export function exchangeClosed(): ExchangeError {
  return new ExchangeError('EXCHANGE_CLOSED', 'The block exchange is closed.');
}

export function sessionClosed(): ExchangeError {
  return new ExchangeError('EXCHANGE_SESSION_CLOSED', 'The session of the block exchange is closed.');
}
