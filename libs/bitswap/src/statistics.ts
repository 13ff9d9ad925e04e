import type { ExchangePeer } from '@cairn/block-exchange';
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

  received(account: Account, bytes: number, isDuplicate: boolean): void {
    account.receivedBytes += bytes;
    account.receivedBlocks++;
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
    account.sentBlocks += blocks;
  }

  /** Lists peers with traffic. */
  peers(): ExchangePeer[] {
    return [...this.#accounts].map(([peer, account]) => ({
      peer,
      bytesReceived: account.receivedBytes,
      bytesSent: account.sentBytes,
      blocksReceived: account.receivedBlocks,
      blocksSent: account.sentBlocks,
    }));
  }

  /** Returns a copy of the account of a peer, zeros for an unknown one. */
  ledger(peer: PeerName): Account {
    return { ...(this.#accounts.get(peer) ?? newAccount()) };
  }

  /** Returns the account of a peer. It survives reconnects. */
  account(peer: PeerName): Account {
    const known = this.#accounts.get(peer);
    if (known !== undefined) return known;
    const account = newAccount();
    this.#accounts.set(peer, account);
    if (this.#accounts.size > accountsMax)
      for (const oldest of this.#accounts.keys()) {
        this.#accounts.delete(oldest);
        break;
      }
    return account;
  }
}

function newAccount(): Account {
  return { sentBytes: 0, receivedBytes: 0, sentBlocks: 0, receivedBlocks: 0 };
}
