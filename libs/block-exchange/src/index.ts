export type { BlockExchange, ExchangePeer, ExchangeSession, FetchOptions, Provider } from './block-exchange.ts';
export { ExchangeError, type ExchangeErrorCode } from './errors.ts';
export { LanePermits, type LanePermitsOptions } from './permits.ts';
export { type RaceOptions, raceExchanges } from './race-exchanges.ts';
export { storingExchange } from './storing-exchange.ts';
export { type WithExchangeOptions, withExchange } from './with-exchange.ts';
