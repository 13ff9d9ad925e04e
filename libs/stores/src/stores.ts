import type { AccountStore, GatewayHostStore } from '@cairn/auth';
import type { BillingStore } from '@cairn/billing';
import type { BoundedBlockstore, ProcessChannel, VerificationOptions } from '@cairn/blockstore';
import type { NameStore } from '@cairn/ipns';
import type { LimitStore, MeteringStores, PlanStore, RequestLogStore, UsageStore } from '@cairn/metering';
import type { RootStore } from '@cairn/mfs';
import type { PackStore } from '@cairn/pack-store';
import type { PinRequestStore, PinStore } from '@cairn/pinning';
import type { ProvideStore } from '@cairn/providing';
import type { Redis } from '@cairn/redis';

/** Limits of the block store. */
export interface BlockStoreOptions {
  /** Bytes that may wait for a transaction. Default: that of the adapter. */
  readonly pendingBytesMax?: number;
  /** Messages to the other processes of the service. Default: it has none. */
  readonly channel?: ProcessChannel;
  /** Bytes of all blocks. Default: no limit. */
  readonly bytesMax?: number | undefined;
  /** Bytes of the disk that stay free. Default: none. */
  readonly diskReserveBytes?: number;
  /** Verifies each block, in a store that verifies its reads itself. Default: one that hashes it. */
  readonly verify?: VerificationOptions['verify'];
}

/** Connections to Redis, which the stores of a process share. Its opener closes it. */
export interface SharedRedis {
  readonly redis: Redis;
  close(): Promise<void>;
}

/** Groups of stores that exist or not as one. */
export type StoreGroup = 'accounts' | 'limits' | 'blocks' | 'pins' | 'files' | 'names' | 'providing';

/**
 * The stores of a deployment. Each call opens a store, which its caller closes. An adapter is loaded when its store is
 * opened, so that a program loads only those that it uses.
 */
export interface Stores {
  /** Accounts, keys, members and the audit log. */
  accounts(): Promise<AccountStore>;
  /** Dedicated hosts of the IPFS gateway. */
  gatewayHosts(): Promise<GatewayHostStore>;
  plans(): Promise<PlanStore>;
  usage(): Promise<UsageStore>;
  /** Last requests of each account. */
  requestLog(): Promise<RequestLogStore>;
  /** Counters of rate limits, which processes share. */
  limits(): Promise<LimitStore>;
  /** Redis, for state that ends within minutes, such as filters; `undefined` in the embedded form. */
  redis(): Promise<SharedRedis | undefined>;
  billing(): Promise<BillingStore>;
  /** Stores of `startMetering`: plans, usage, request log and limits. */
  metering(): Promise<MeteringStores>;
  blocks(options?: BlockStoreOptions): Promise<BoundedBlockstore>;
  /** Blocks with the maintenance of their packs; `undefined` in the embedded form. */
  packs(options?: BlockStoreOptions): Promise<PackStore | undefined>;
  /**
   * Milliseconds after which a cache above the block store reads a block again, since a process of another machine may have
   * removed it; `undefined` in the embedded form.
   */
  readonly foreignRemovalMs: number | undefined;
  pins(): Promise<PinStore>;
  /** Requests of the Pinning Service API, beside the pins. */
  pinRequests(): Promise<PinRequestStore>;
  /** Roots of the file trees. */
  files(): Promise<RootStore>;
  /** Keys and records of IPNS names. */
  names(): Promise<NameStore>;
  /** Content that this node announces, with the times of its announcements. */
  providing(): Promise<ProvideStore>;
  /** Reports whether a group was ever opened. Opening creates what is missing. */
  has(group: StoreGroup): boolean;
}
