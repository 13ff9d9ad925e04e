import {
  bloomQueryOf,
  createBloomTest,
  type Header,
  type Hex,
  isMatch,
  type Log,
  type LogQuery,
} from '@cairn/block-model';
import type { AncestorIndex } from './ancestor-index.ts';
import { ProvenChainError } from './errors.ts';
import { provenChainLimits } from './limits.ts';
import type { ProvenBlocks, ReadOptions } from './proven-blocks.ts';

/** Log with its block, transaction and index, as eth_getLogs returns it. */
export interface ProvenLog {
  readonly log: Log;
  readonly header: Header;
  readonly transactionIndex: number;
  /** Index within the block. */
  readonly logIndex: number;
}

/** Candidates whose receipts are read in one round: decoded receipts of a full block take about a megabyte. */
const candidatesPerRound = 64;
/** Headers read between two turns of the event loop. */
const headersPerTurn = 256;

/**
 * All logs of a range that match, provably complete: the headers link to the trusted head, their blooms select candidate blocks,
 * and the receipts of each candidate are verified. An upstream cannot omit a log.
 * @param head a verified header at or above `to`
 * @throws LOGS_TOO_MANY, BLOCK_RANGE_INVALID, UpstreamError
 */
export async function provenLogs(
  { blocks, ancestors }: { readonly blocks: ProvenBlocks; readonly ancestors: AncestorIndex },
  head: Header,
  { from, to, ...query }: LogQuery & { readonly from: bigint; readonly to: bigint },
  options: ReadOptions = {},
): Promise<readonly ProvenLog[]> {
  const hashes = await ancestors.range(head, from, to, options);
  const isCandidate = createBloomTest(bloomQueryOf(query));
  const candidates: Header[] = [];
  for (const [i, hash] of hashes.entries()) {
    if (i % headersPerTurn === headersPerTurn - 1) await new Promise((resolve) => setImmediate(resolve));
    options.signal?.throwIfAborted();
    const header = await blocks.header(hash, options);
    if (isCandidate(header.logsBloom)) candidates.push(header);
  }
  const logs: ProvenLog[] = [];
  // All candidates of a group share one round.
  for (let at = 0; at < candidates.length; at += candidatesPerRound) {
    const group = candidates.slice(at, at + candidatesPerRound);
    const lists = await Promise.all(group.map((header) => matchesIn(blocks, header, query, options)));
    for (const list of lists) logs.push(...list);
    if (logs.length > provenChainLimits.logsMax)
      throw new ProvenChainError('LOGS_TOO_MANY', `The query matches more than ${provenChainLimits.logsMax} logs.`, {
        hint: 'Request a smaller range.',
      });
  }
  return logs;
}

async function matchesIn(
  blocks: ProvenBlocks,
  header: Header,
  query: LogQuery,
  options: ReadOptions,
): Promise<readonly ProvenLog[]> {
  const receipts = await blocks.receipts(header.hash as Hex, options);
  const found: ProvenLog[] = [];
  let logIndex = 0;
  for (const [transactionIndex, { logs }] of receipts.entries())
    for (const log of logs) {
      if (isMatch(query, log)) found.push({ log, header, transactionIndex, logIndex });
      logIndex += 1;
    }
  return found;
}
