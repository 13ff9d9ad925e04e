import type { BufferPool } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';

/** Node that may have a block. Not trusted. */
export interface Provider {
  /** Peer ID in text form. Absent for an HTTP gateway without one. */
  readonly peer?: string;
  /** Multiaddresses, such as `/ip4/203.0.113.5/tcp/4001` or `/dns4/gateway.example/tcp/443/https`. */
  readonly addresses?: readonly string[];
}

export interface FetchOptions {
  /** Ends the wait. The fetch then throws the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Nodes that may have the block, in addition to those that the exchange finds. */
  readonly providers?: readonly Provider[];
  /**
   * Buffers for the bytes of long blocks. The caller gives each one back when nothing uses its bytes any more. An exchange may
   * return other bytes.
   */
  readonly buffers?: BufferPool;
}

/** Fetched block: its verified bytes, or its length if the exchange has stored it durably for the caller. */
export type Delivery = { readonly bytes: Uint8Array } | { readonly storedBytes: number };

/** Fetches that share providers, for example the blocks of one file. */
export interface ExchangeSession {
  /**
   * Returns the verified bytes of a block. Waits until a provider has the block or `signal` ends the wait. Equal
   * concurrent fetches share one request.
   */
  fetch(cid: CID, options?: FetchOptions): Promise<Uint8Array>;
  /**
   * Like {@link fetch} for a caller that needs the block in its store, not its bytes. An exchange with the same store writes the
   * verified block itself. Absent where no exchange does.
   */
  fetchStored?(cid: CID, options?: FetchOptions): Promise<Delivery>;
  /** Adds providers while fetches wait. */
  addProviders(providers: readonly Provider[]): void;
  /** Ends the open fetches and frees what the session keeps. */
  close(): void;
}

/** Node from which an exchange may fetch, with its traffic since the start. */
export interface ExchangePeer {
  /** Peer ID, or the host of an HTTP gateway. */
  readonly peer: string;
  readonly bytesReceived: number;
  readonly bytesSent: number;
  readonly blocksReceived: number;
  readonly blocksSent: number;
}

/** Port to blocks of other nodes. All bytes that it returns are verified against their CID. */
export interface BlockExchange {
  /** Fetches one block outside of a session. */
  fetch(cid: CID, options?: FetchOptions): Promise<Uint8Array>;
  openSession(options?: { readonly providers?: readonly Provider[] }): ExchangeSession;
  /** Reports blocks that the local store has now, so that waiting peers get them. */
  announce(cids: readonly CID[]): void;
  peers(): readonly ExchangePeer[];
  /**
   * Milliseconds for which the process of the exchange has not answered; 0 while it does. Fetches wait for it meanwhile. Absent
   * without such a process.
   */
  unreachableMs?(): number;
  close(): Promise<void>;
}
