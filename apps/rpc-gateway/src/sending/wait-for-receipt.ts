import { type Hex, type Json, receiptToJson } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { formatGoDuration } from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import { timeLimit } from '@cairn/platform';
import type { Chain } from '../chains/chain.ts';
import { receiptParts } from '../methods/transactions/receipts-json.ts';
import type { RequestContext } from '../request-context.ts';

/** Default and maximum wait of eth_sendRawTransactionSync in milliseconds, as in geth. */
const defaultMs = 20_000;
const waitMsMax = 60_000;
/** Pause after upstreams failed to return the receipt. */
const retryMs = 1_000;

/** Waits for the receipt of a transaction. Created before the transaction is sent, so that no head is missed. */
export class ReceiptWait {
  readonly #context: Pick<RequestContext, 'chain' | 'signal'>;
  readonly #hash: Hex;
  readonly #unlisten: () => void;
  /** A head has arrived since the last look. True at first: the transaction may be mined already. */
  #isDue = true;
  #wake = () => {};

  constructor(context: Pick<RequestContext, 'chain' | 'signal'>, hash: Hex) {
    this.#context = context;
    this.#hash = hash;
    this.#unlisten = context.chain.heads.listen(() => this.#look());
    context.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /**
   * Looks for the receipt at each new head.
   * @param timeoutMs 0 stands for the default
   * @throws RpcError 4 with the hash when the time is over; the reason of the signal when the client disconnects
   */
  async receipt(timeoutMs: number): Promise<Json> {
    const { chain, signal } = this.#context;
    const ms = timeoutMs > 0 ? Math.min(timeoutMs, waitMsMax) : defaultMs;
    const timeout = timeLimit(ms);
    timeout.addEventListener('abort', this.#onAbort, { once: true });
    const both = AbortSignal.any([signal, timeout]);
    while (!both.aborted) {
      if (!this.#isDue) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#isDue = false;
      try {
        const receipt = await chain.read((scoped) => receiptOf(scoped, this.#hash), { signal: both });
        if (receipt !== undefined) return receipt;
      } catch (error) {
        if (both.aborted) break;
        // The transaction was accepted, so a failed read must not look like a failed transaction.
        if (!isCairnError(error) || !error.code.startsWith('UPSTREAM')) throw error;
        setTimeout(() => this.#look(), retryMs).unref();
      }
    }
    signal.throwIfAborted();
    const text = `The transaction was added to the transaction pool but wasn't processed in ${formatGoDuration(ms)}`;
    throw new RpcError('syncTimeout', text, this.#hash);
  }

  end(): void {
    this.#unlisten();
    this.#context.signal.removeEventListener('abort', this.#onAbort);
  }

  #look(): void {
    this.#isDue = true;
    this.#wake();
  }

  readonly #onAbort = () => this.#wake();
}

function receiptOf({ reader }: Pick<Chain, 'reader'>, hash: Hex): Json | undefined {
  const place = reader.transactionPlace(hash);
  const block = place && reader.block(place.blockHash);
  return block && receiptToJson({ ...receiptParts(reader, block), index: place.index });
}
