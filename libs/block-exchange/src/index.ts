export type {
  BlockExchange,
  Delivery,
  ExchangePeer,
  ExchangeSession,
  FetchOptions,
  Provider,
} from './block-exchange.ts';
export { ExchangeError, type ExchangeErrorCode } from './errors.ts';
export { type LinkedAbort, linkAbort } from './linked-abort.ts';
export { LanePermits, type LanePermitsOptions } from './permits.ts';
export { type RaceOptions, raceExchanges } from './race-exchanges.ts';
export { type FetchingBlockstore, type WithExchangeOptions, withExchange } from './with-exchange.ts';
