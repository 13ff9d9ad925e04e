export { type Bitswap, type BitswapOptions, openBitswap } from './bitswap.ts';
export { type BlockSourceOptions, blockSourceFromBlockstore } from './block-source.ts';
export { ByteRate } from './byte-rate.ts';
export { BitswapError, type BitswapErrorCode } from './errors.ts';
export { type BitswapLimits, bitswapLimits } from './limits.ts';
export type { BlockSource, ProviderSearch, ServingPolicy } from './ports.ts';
export type { Account } from './server/ledger.ts';
export { allPolicies, serveNothing } from './serving-policies.ts';
export type { BitswapStats } from './statistics.ts';
export type {
  BitswapTransport,
  IncomingStream,
  OutgoingStream,
  PeerName,
  Target,
  TransportEvents,
} from './transport.ts';
