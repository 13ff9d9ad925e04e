export type { BlockExchange, ExchangePeer, ExchangeSession, FetchOptions, Provider } from './block-exchange.ts';
