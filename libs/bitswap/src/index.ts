export { type Bitswap, type BitswapOptions, type BlockSession, openBitswap } from './bitswap.ts';
export { blockSourceFromBlockstore } from './block-source.ts';
export { BitswapError, type BitswapErrorCode } from './errors.ts';
export { type BitswapLimits, bitswapLimits } from './limits.ts';
export type { BlockExchange, BlockSource, FetchOptions, ProviderSearch, ServingPolicy } from './ports.ts';
export type { Account } from './server/ledger.ts';
export type { BitswapStats } from './statistics.ts';
export type {
  BitswapTransport,
  IncomingStream,
  OutgoingStream,
  PeerName,
  Provider,
  TransportEvents,
} from './transport.ts';
