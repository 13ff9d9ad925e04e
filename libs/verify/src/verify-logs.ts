import {
  bloomQueryOf,
  createBloomTest,
  decodeReceipt,
  decodeTransaction,
  type Header,
  type Hex,
  isMatch,
  type Log,
  type LogQuery,
  quantity,
  type Receipt,
  verifyReceipts,
} from '@cairn/block-model';
import { requireChain, specOf, type VerifiedChain } from './chain/chain-of.ts';
import { linkedHeaders } from './chain/linked-headers.ts';
import { VerifyError, withCode } from './errors.ts';
import { verifyLimits } from './limits.ts';
import { itemBelow } from './verify-inclusion.ts';
import { type WitnessBytes } from './witness/envelope.ts';
import { decodeLogWitness } from './witness/log-witness.ts';
import { HashedContent } from './witness/witness-state.ts';

export interface VerifyLogsOptions {
  /** The trusted hash of the last block of the range. */
  readonly blockHash: Hex;
  readonly query: LogQuery;
  /** First block of the range. */
  readonly from: bigint;
  /** Last block of the range. */
  readonly to: bigint;
  /** Default: mainnet. */
  readonly chain?: VerifiedChain;
}

/** A log as eth_getLogs returns it. */
export interface VerifiedLog extends Log {
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly blockTimestamp: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
  readonly logIndex: Hex;
  readonly removed: false;
}

/**
 * Returns all logs of a range that match, provably complete: the headers link to the trusted hash, their blooms select the
 * blocks whose receipts must be present, and receipts and transactions are proven by the roots of the headers.
 * @throws VerifyError
 */
export function verifyLogs(witness: WitnessBytes, options: VerifyLogsOptions): readonly VerifiedLog[] {
  const { blockHash, query, from, to, chain } = options;
  const { chainId, headers: raws, receipts, nodes } = decodeLogWitness(witness);
  requireChain(specOf(chain), chainId);
  const headers = linkedHeaders(raws, blockHash);
  const lowest = headers.at(-1) as Header;
  if (headers[0].number !== to || lowest.number !== from)
    throw new VerifyError(
      'REQUEST_DIFFERS',
      `The witness covers the blocks ${lowest.number} to ${headers[0].number}, not ${from} to ${to}.`,
    );
  const isCandidate = createBloomTest(bloomQueryOf(query));
  const candidates = headers.filter(({ logsBloom }) => isCandidate(logsBloom));
  if (candidates.length !== receipts.length)
    throw new VerifyError(
      'WITNESS_INCOMPLETE',
      `The witness has the receipts of ${receipts.length} blocks. The blooms select ${candidates.length} blocks.`,
    );
  const content = new HashedContent('trie node', nodes);
  const logs: VerifiedLog[] = [];
  for (const [index, header] of [...candidates.entries()].reverse()) {
    logs.push(...logsOf(header, receiptsOf(header, receipts[index] ?? []), query, content));
    if (logs.length > verifyLimits.logsMax)
      throw new VerifyError('LOGS_TOO_MANY', `More than ${verifyLimits.logsMax} logs match the query.`);
  }
  return logs;
}

function receiptsOf(header: Header, raws: readonly Uint8Array[]): readonly Receipt[] {
  return withCode('RECEIPTS_INVALID', 'The receipts do not match their header', () => {
    const receipts = raws.map(decodeReceipt);
    verifyReceipts(header, receipts);
    return receipts;
  });
}

function* logsOf(
  header: Header,
  receipts: readonly Receipt[],
  query: LogQuery,
  content: HashedContent,
): Generator<VerifiedLog> {
  let logIndex = 0;
  for (const [index, { logs }] of receipts.entries()) {
    let transactionHash: Hex | undefined;
    for (const log of logs) {
      const at = logIndex++;
      if (!isMatch(query, log)) continue;
      transactionHash ??= hashOf(itemBelow(content, header.transactionsRoot, index));
      yield {
        ...log,
        blockHash: header.hash,
        blockNumber: quantity(header.number),
        blockTimestamp: quantity(header.timestamp),
        transactionHash,
        transactionIndex: quantity(index),
        logIndex: quantity(at),
        removed: false,
      };
    }
  }
}

function hashOf(raw: Uint8Array): Hex {
  return withCode('PROOF_INVALID', 'A transaction cannot be decoded', () => decodeTransaction(raw).hash);
}
