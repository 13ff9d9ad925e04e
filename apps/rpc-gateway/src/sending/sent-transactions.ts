import type { Hex, Transaction } from '@cairn/block-model';
import { LRUCache } from 'lru-cache';
import type { Chain } from '../chains/chain.ts';

/** Transactions that are remembered for each network, and their bytes in total. */
const transactionsMax = 10_000;
const bytesMax = 16 * 1024 * 1024;
const rememberedMs = 3_600_000;
/** Memory of a decoded transaction beyond its bytes and their hexadecimal text. */
const overheadBytes = 1_000;

type NetworkKey = Chain['network'];

/** Transactions that this gateway has sent, for an hour. */
export class SentTransactions {
  readonly #byNetwork = new WeakMap<NetworkKey, LRUCache<Hex, Transaction>>();
  /** Called with each transaction that was not sent before. */
  onSent: (chain: Chain, transaction: Transaction) => void = () => {};

  has({ network }: Chain, hash: Hex): boolean {
    return this.#byNetwork.get(network)?.has(hash) === true;
  }

  get({ network }: Chain, hash: Hex): Transaction | undefined {
    return this.#byNetwork.get(network)?.get(hash);
  }

  /** Adds a transaction that this process has sent. */
  add(chain: Chain, transaction: Transaction): void {
    if (this.learn(chain, transaction)) this.onSent(chain, transaction);
  }

  /** Adds a transaction that another process has sent. Returns false if it is known. */
  learn(chain: Chain, transaction: Transaction): boolean {
    let sent = this.#byNetwork.get(chain.network);
    if (sent === undefined) {
      sent = new LRUCache<Hex, Transaction>({
        max: transactionsMax,
        maxSize: bytesMax,
        ttl: rememberedMs,
        sizeCalculation: ({ raw }) => raw.length * 3 + overheadBytes,
      });
      this.#byNetwork.set(chain.network, sent);
    }
    if (sent.has(transaction.hash)) return false;
    sent.set(transaction.hash, transaction);
    return true;
  }
}
