import type { Account } from './server/ledger.ts';
import type { PeerName } from './transport.ts';

/** Peers whose exchanged bytes are remembered. */
const accountsMax = 4096;

export interface BitswapStats {
  readonly messagesReceived: number;
  readonly blocksReceived: number;
  readonly bytesReceived: number;
  /** Received copies of blocks that had arrived already. */
  readonly duplicateBlocks: number;
  readonly duplicateBytes: number;
  readonly blocksSent: number;
  readonly bytesSent: number;
  /** Blocks that the engine waits for. */
  readonly wantlist: number;
  /** Wants of peers that are kept. */
  readonly peersWants: number;
}

/** Counters of the engine and accounts of its peers. */
export class Statistics {
  readonly counters = {
    messagesReceived: 0,
    blocksReceived: 0,
    bytesReceived: 0,
    duplicateBlocks: 0,
    duplicateBytes: 0,
    blocksSent: 0,
    bytesSent: 0,
  };
  readonly #accounts = new Map<PeerName, Account>();

  received(bytes: number, isDuplicate: boolean): void {
    this.counters.blocksReceived++;
    this.counters.bytesReceived += bytes;
    if (!isDuplicate) return;
    this.counters.duplicateBlocks++;
    this.counters.duplicateBytes += bytes;
  }

  sent(account: Account, blocks: number, bytes: number): void {
    this.counters.blocksSent += blocks;
    this.counters.bytesSent += bytes;
    account.sentBytes += bytes;
    account.exchanged += blocks;
  }

  /** Returns the account of a peer. It survives reconnects. */
  account(peer: PeerName): Account {
    const known = this.#accounts.get(peer);
    if (known !== undefined) return known;
    const account = { sentBytes: 0, receivedBytes: 0, exchanged: 0 };
    this.#accounts.set(peer, account);
    if (this.#accounts.size > accountsMax)
      for (const oldest of this.#accounts.keys()) {
        this.#accounts.delete(oldest);
        break;
      }
    return account;
  }
}
