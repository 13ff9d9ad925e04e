import { bytesFromHex, type Hex } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { checkPooledSender, checkPooledTransaction, forkRules, PooledRejectedError } from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import type { UpstreamPool } from '@cairn/upstream';
import type { Chain } from '../chains/chain.ts';
import { hasAssumedForks } from '../chains/upstream/upstream-spec.ts';
import type { CallExecutor } from '../methods/execution/call-executor.ts';
import type { RequestContext } from '../request-context.ts';
import { requireHeader } from '../resolve-block.ts';
import { broadcastTransaction } from './broadcast-transaction.ts';
import type { RawTransaction } from './raw-transaction.ts';
import type { SentTransactions } from './sent-transactions.ts';

export interface TransactionSenderOptions {
  readonly executor: CallExecutor;
  readonly sent: SentTransactions;
}

/** Checks transactions and sends them to the upstreams of their network. */
export class TransactionSender {
  readonly #executor: CallExecutor;
  /** Transactions that this sender has sent. */
  readonly sent: SentTransactions;

  constructor({ executor, sent }: TransactionSenderOptions) {
    this.#executor = executor;
    this.sent = sent;
  }

  /**
   * Sends a transaction. A transaction that was sent before may be sent again, also after it was mined.
   * @param method the called method, for usage
   * @throws RpcError, POOLED_*
   */
  async send(context: RequestContext, method: string, raw: RawTransaction): Promise<Hex> {
    const { chain } = context;
    const { hash } = raw.transaction;
    const upstreams = requireUpstreams(chain, method);
    try {
      await checkOn(context, raw);
    } catch (error) {
      // The nonce of a mined transaction is too low.
      if (isCairnError(error, 'POOLED_NONCE_TOO_LOW') && this.sent.has(chain, hash)) return hash;
      throw error;
    }
    await this.#verifyBlobs(context, method, raw);
    await broadcastTransaction(upstreams, raw.raw, hash);
    this.sent.add(chain, raw.transaction);
    return hash;
  }

  /** Verifies KZG proofs in a worker, at the price of worker time. @throws POOLED_BLOBS_INVALID */
  async #verifyBlobs(context: RequestContext, method: string, { sidecar }: RawTransaction): Promise<void> {
    if (sidecar === undefined) return;
    const job = { kind: 'verifyBlobs', chain: context.chain.network.name, sidecar } as const;
    const { isValid } = await this.#executor.runByTime(context, method, job);
    if (isValid) return;
    throw new PooledRejectedError(
      'POOLED_BLOBS_INVALID',
      "KZG verification error: can't verify opening proof",
      'Compute commitments and proofs from the blobs that are sent.',
    );
  }
}

/** @throws RpcError -32601 in the words of a geth without the method */
function requireUpstreams({ upstreams, network }: Chain, method: string): UpstreamPool {
  if (upstreams !== undefined) return upstreams;
  const hint = `The network ${network.name} has no upstreams in the networks file, so it cannot send transactions.`;
  throw new RpcError('method', `the method ${method} does not exist/is not available. ${hint}`);
}

/** Checks a transaction against rules and state of the head. @throws POOLED_* */
async function checkOn({ chain, signal }: RequestContext, raw: RawTransaction): Promise<void> {
  const { transaction, bytes } = raw;
  try {
    await chain.read(
      (scoped) => {
        const { spec, chainId } = scoped.reader;
        const head = requireHeader({ chain: scoped }, { tag: 'latest' });
        // Limits of a fork that the network may not have refuse nothing.
        const rules = spec && !hasAssumedForks(spec) ? forkRules(spec, head) : undefined;
        const sender = checkPooledTransaction(raw, bytes, { chainId, rules, gasLimit: head.gasLimit });
        const accounts = scoped.state.stateAt(head.hash);
        if (accounts !== undefined) checkPooledSender(transaction, accounts.getAccount(bytesFromHex(sender)));
      },
      { signal },
    );
  } catch (error) {
    // Nonce and balance are checked by the upstreams too: a state that cannot be proven does not prevent sending.
    if (!isCairnError(error) || !error.code.startsWith('UPSTREAM')) throw error;
  }
}
